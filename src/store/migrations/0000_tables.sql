CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"team_id" text NOT NULL,
	"name" text NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"records" text NOT NULL,
	"manage_zones" text NOT NULL,
	"only_names" text[],
	"only_types" text[],
	"networks" "cidr"[],
	"zone_writes" integer,
	"record_writes" integer,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_keys_records_level" CHECK ("api_keys"."records" in ('none', 'read', 'write')),
	CONSTRAINT "api_keys_manage_zones_level" CHECK ("api_keys"."manage_zones" in ('none', 'read', 'write'))
);
--> statement-breakpoint
CREATE TABLE "changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"zone_id" text NOT NULL,
	"zone_name" text collate "C" NOT NULL,
	"team_id" text NOT NULL,
	"key_id" text NOT NULL,
	"action" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"serial" bigint NOT NULL,
	"request_id" text NOT NULL,
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency" (
	"key_id" text NOT NULL,
	"token" text NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"answer" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_pkey" PRIMARY KEY("key_id","token")
);
--> statement-breakpoint
CREATE TABLE "key_zone_grants" (
	"key_id" text NOT NULL,
	"zone_id" text NOT NULL,
	"records" text NOT NULL,
	CONSTRAINT "key_zone_grants_pkey" PRIMARY KEY("key_id","zone_id"),
	CONSTRAINT "key_zone_grants_level" CHECK ("key_zone_grants"."records" in ('none', 'read', 'write'))
);
--> statement-breakpoint
CREATE TABLE "records" (
	"id" text PRIMARY KEY NOT NULL,
	"zone_no" integer NOT NULL,
	"name" text collate "C" NOT NULL,
	"ordername" text collate "C" NOT NULL,
	"type" text NOT NULL,
	"content" text NOT NULL,
	"rdata" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"ttl" integer,
	"priority" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "records_rdata_key" UNIQUE("zone_no","ordername","type","digest"),
	CONSTRAINT "records_ttl" CHECK ("records"."ttl" between 30 and 86400),
	CONSTRAINT "records_priority" CHECK ("records"."priority" between 0 and 65535)
);
--> statement-breakpoint
CREATE TABLE "service" (
	"one" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"nameservers" text[] NOT NULL,
	"hostmaster" text NOT NULL,
	CONSTRAINT "service_one_row" CHECK ("service"."one" = 1)
);
--> statement-breakpoint
CREATE TABLE "teams" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "teams_name_key" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "write_windows" (
	"key_id" text NOT NULL,
	"bucket" text NOT NULL,
	"times" timestamptz[] NOT NULL,
	CONSTRAINT "write_windows_pkey" PRIMARY KEY("key_id","bucket")
);
--> statement-breakpoint
CREATE TABLE "zones" (
	"id" text PRIMARY KEY NOT NULL,
	"no" integer GENERATED ALWAYS AS IDENTITY (sequence name "zones_no_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"team_id" text NOT NULL,
	"name" text collate "C" NOT NULL,
	"tree" text collate "C" NOT NULL,
	"state" text NOT NULL,
	"default_ttl" integer NOT NULL,
	"serial" bigint NOT NULL,
	"changed_xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"csk_private" text NOT NULL,
	"csk_public" text NOT NULL,
	"ds" text[] NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "zones_no_key" UNIQUE("no"),
	CONSTRAINT "zones_name_key" UNIQUE("name"),
	CONSTRAINT "zones_state" CHECK ("zones"."state" in ('active', 'parked')),
	CONSTRAINT "zones_default_ttl" CHECK ("zones"."default_ttl" between 30 and 86400),
	CONSTRAINT "zones_serial" CHECK ("zones"."serial" between 1 and 4294967295)
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency" ADD CONSTRAINT "idempotency_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_zone_grants" ADD CONSTRAINT "key_zone_grants_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_zone_grants" ADD CONSTRAINT "key_zone_grants_zone_id_zones_id_fk" FOREIGN KEY ("zone_id") REFERENCES "public"."zones"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "records" ADD CONSTRAINT "records_zone_no_zones_no_fk" FOREIGN KEY ("zone_no") REFERENCES "public"."zones"("no") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "write_windows" ADD CONSTRAINT "write_windows_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zones" ADD CONSTRAINT "zones_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_team_idx" ON "api_keys" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "changes_zone_idx" ON "changes" USING btree ("zone_id","id");--> statement-breakpoint
CREATE INDEX "changes_deleted_zone_idx" ON "changes" USING btree ("xid") WHERE "changes"."action" = 'zone.delete';--> statement-breakpoint
CREATE INDEX "idempotency_created_idx" ON "idempotency" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "records_one_cname_idx" ON "records" USING btree ("zone_no","ordername") WHERE "records"."type" = 'CNAME';--> statement-breakpoint
CREATE INDEX "records_cuts_idx" ON "records" USING btree ("zone_no","ordername") WHERE "records"."type" = 'NS';--> statement-breakpoint
CREATE UNIQUE INDEX "zones_tree_idx" ON "zones" USING btree ("tree");--> statement-breakpoint
CREATE INDEX "zones_changed_xid_idx" ON "zones" USING btree ("changed_xid");--> statement-breakpoint
CREATE INDEX "zones_team_idx" ON "zones" USING btree ("team_id","name");