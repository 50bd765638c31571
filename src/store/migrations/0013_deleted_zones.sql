CREATE TABLE "deleted_zone_rows" (
	"zone_id" text NOT NULL,
	"origin" text NOT NULL,
	"row" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deleted_zones" (
	"id" text PRIMARY KEY NOT NULL,
	"no" integer NOT NULL,
	"team_id" text,
	"user_id" text,
	"name" text collate "C" NOT NULL,
	"tree" text collate "C" NOT NULL,
	"state" text NOT NULL,
	"default_ttl" integer NOT NULL,
	"serial" bigint NOT NULL,
	"csk_private" text NOT NULL,
	"csk_public" text NOT NULL,
	"ds" text[] NOT NULL,
	"record_count" bigint NOT NULL,
	"stored_bytes" bigint NOT NULL,
	"managed_by" text,
	"comment" text,
	"secondary_nameservers" text[] NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"deleted_at" timestamp with time zone NOT NULL,
	"until" timestamp with time zone NOT NULL,
	CONSTRAINT "deleted_zones_one_owner" CHECK (("deleted_zones"."team_id" is null) <> ("deleted_zones"."user_id" is null))
);
--> statement-breakpoint
CREATE TABLE "history_pruned" (
	"kind" text NOT NULL,
	"owner" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "history_pruned_pkey" PRIMARY KEY("kind","owner")
);
--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "undoes" bigint[];--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "restored_to" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "deleted_zone_rows" ADD CONSTRAINT "deleted_zone_rows_zone_id_deleted_zones_id_fk" FOREIGN KEY ("zone_id") REFERENCES "public"."deleted_zones"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deleted_zones" ADD CONSTRAINT "deleted_zones_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deleted_zones" ADD CONSTRAINT "deleted_zones_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deleted_zone_rows_zone_idx" ON "deleted_zone_rows" USING btree ("zone_id","origin");--> statement-breakpoint
CREATE INDEX "deleted_zones_name_idx" ON "deleted_zones" USING btree ("name","deleted_at");--> statement-breakpoint
CREATE INDEX "deleted_zones_until_idx" ON "deleted_zones" USING btree ("until");--> statement-breakpoint
CREATE INDEX "deleted_zones_owner_idx" ON "deleted_zones" USING btree ("team_id","user_id","deleted_at");