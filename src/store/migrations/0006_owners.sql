CREATE TABLE "owned_sets" (
	"id" text PRIMARY KEY NOT NULL,
	"zone_no" integer NOT NULL,
	"owner" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"ordername" text collate "C" NOT NULL,
	"type" text NOT NULL,
	"generation" bigint,
	"instance" text,
	"digest" "bytea" NOT NULL,
	"value_count" integer NOT NULL,
	"ttl" integer,
	"share" boolean NOT NULL,
	"retain" boolean NOT NULL,
	"drift" text NOT NULL,
	"expires_at" timestamp with time zone,
	"due_at" timestamp with time zone,
	"applied_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "owned_sets_key" UNIQUE("zone_no","owner","ordername","type"),
	CONSTRAINT "owned_sets_owner" CHECK (length("owned_sets"."owner") between 1 and 400),
	CONSTRAINT "owned_sets_ttl" CHECK ("owned_sets"."ttl" between 30 and 86400),
	CONSTRAINT "owned_sets_drift" CHECK ("owned_sets"."drift" in ('Enforce', 'Report', 'Ignore'))
);
--> statement-breakpoint
CREATE TABLE "record_owners" (
	"record_id" text NOT NULL,
	"set_id" text NOT NULL,
	"digest" "bytea" NOT NULL,
	CONSTRAINT "record_owners_pkey" PRIMARY KEY("record_id","set_id")
);
--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "owner" text;--> statement-breakpoint
ALTER TABLE "zones" ADD COLUMN "owned_sets" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "zones" ADD COLUMN "owners_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "owned_sets" ADD CONSTRAINT "owned_sets_zone_no_zones_no_fk" FOREIGN KEY ("zone_no") REFERENCES "public"."zones"("no") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "record_owners" ADD CONSTRAINT "record_owners_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "public"."records"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "record_owners" ADD CONSTRAINT "record_owners_set_id_owned_sets_id_fk" FOREIGN KEY ("set_id") REFERENCES "public"."owned_sets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "owned_sets_name_idx" ON "owned_sets" USING btree ("zone_no","ordername");--> statement-breakpoint
CREATE INDEX "owned_sets_owner_idx" ON "owned_sets" USING btree ("owner","zone_no");--> statement-breakpoint
CREATE INDEX "owned_sets_due_idx" ON "owned_sets" USING btree ("due_at") WHERE "owned_sets"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "record_owners_set_idx" ON "record_owners" USING btree ("set_id");
