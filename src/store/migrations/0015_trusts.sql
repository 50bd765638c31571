-- The constraints of api_keys are not valid for old rows, which have no trust: so the table is not read while it is locked.
CREATE TABLE "trust_zone_grants" (
	"trust_id" text NOT NULL,
	"zone_id" text NOT NULL,
	"records" text NOT NULL,
	CONSTRAINT "trust_zone_grants_pkey" PRIMARY KEY("trust_id","zone_id"),
	CONSTRAINT "trust_zone_grants_level" CHECK ("trust_zone_grants"."records" in ('none', 'read', 'write'))
);
--> statement-breakpoint
CREATE TABLE "trusts" (
	"id" text PRIMARY KEY NOT NULL,
	"team_id" text NOT NULL,
	"name" text NOT NULL,
	"issuer" text collate "C" NOT NULL,
	"audience" text NOT NULL,
	"key_source" jsonb NOT NULL,
	"ca" text,
	"private_addresses" boolean DEFAULT false NOT NULL,
	"match" jsonb NOT NULL,
	"facts" text[] NOT NULL,
	"kids" text[],
	"max_token_age_s" integer NOT NULL,
	"pin_subjects" boolean NOT NULL,
	"records" text NOT NULL,
	"manage_zones" text NOT NULL,
	"only_names" text[],
	"only_types" text[],
	"networks" "cidr"[],
	"zone_writes" integer,
	"record_writes" integer,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"created_by" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "trusts_records_level" CHECK ("trusts"."records" in ('none', 'read', 'write')),
	CONSTRAINT "trusts_manage_zones_level" CHECK ("trusts"."manage_zones" in ('none', 'read', 'write')),
	CONSTRAINT "trusts_max_token_age" CHECK ("trusts"."max_token_age_s" between 60 and 3600)
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "trust_id" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "subject" text collate "C";--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "pinned_uid" text;--> statement-breakpoint
ALTER TABLE "trust_zone_grants" ADD CONSTRAINT "trust_zone_grants_trust_id_trusts_id_fk" FOREIGN KEY ("trust_id") REFERENCES "public"."trusts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trust_zone_grants" ADD CONSTRAINT "trust_zone_grants_zone_id_zones_id_fk" FOREIGN KEY ("zone_id") REFERENCES "public"."zones"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trusts" ADD CONSTRAINT "trusts_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trusts" ADD CONSTRAINT "trusts_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "trust_zone_grants_zone_idx" ON "trust_zone_grants" USING btree ("zone_id");--> statement-breakpoint
CREATE INDEX "trusts_issuer_idx" ON "trusts" USING btree ("issuer");--> statement-breakpoint
CREATE INDEX "trusts_team_idx" ON "trusts" USING btree ("team_id");--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_trust_id_trusts_id_fk" FOREIGN KEY ("trust_id") REFERENCES "public"."trusts"("id") ON DELETE cascade ON UPDATE no action NOT VALID;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_subject_key" ON "api_keys" USING btree ("trust_id","subject") WHERE "api_keys"."trust_id" is not null;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_subject" CHECK (("api_keys"."trust_id" is null) = ("api_keys"."subject" is null)) NOT VALID;