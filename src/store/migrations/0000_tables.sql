CREATE TABLE "account_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "account_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"team_id" text,
	"key_id" text,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"request_id" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "alias_answers" (
	"target" text collate "C" NOT NULL,
	"owner" text collate "C" DEFAULT '' NOT NULL,
	"ipv4" text[] DEFAULT '{}' NOT NULL,
	"ipv6" text[] DEFAULT '{}' NOT NULL,
	"ttl" integer DEFAULT 30 NOT NULL,
	"resolved_at" timestamp with time zone,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"error" text,
	"unmarked_since" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alias_answers_pkey" PRIMARY KEY("target","owner"),
	CONSTRAINT "alias_answers_ttl" CHECK ("alias_answers"."ttl" between 30 and 3600)
);
--> statement-breakpoint
CREATE TABLE "changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"zone_id" text NOT NULL,
	"zone_name" text collate "C" NOT NULL,
	"team_id" text,
	"user_id" text,
	"key_id" text NOT NULL,
	"action" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"serial" bigint NOT NULL,
	"request_id" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "history_marks" (
	"kind" text PRIMARY KEY NOT NULL,
	"counted_to" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "history_usage" (
	"kind" text NOT NULL,
	"bucket" bigint NOT NULL,
	"owner" text NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "history_usage_pkey" PRIMARY KEY("kind","bucket","owner")
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
CREATE TABLE "quarantined_names" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"tree" text collate "C" NOT NULL,
	"team_id" text,
	"user_id" text,
	"until" timestamp with time zone NOT NULL
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
	"changed_xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	CONSTRAINT "service_one_row" CHECK ("service"."one" = 1)
);
--> statement-breakpoint
CREATE TABLE "write_windows" (
	"key_id" text NOT NULL,
	"bucket" text NOT NULL,
	"times" timestamptz[] NOT NULL,
	CONSTRAINT "write_windows_pkey" PRIMARY KEY("key_id","bucket")
);
--> statement-breakpoint
CREATE TABLE "zone_uploads" (
	"zone_id" text NOT NULL,
	"key_id" text NOT NULL,
	"content" text NOT NULL,
	"serial" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "zone_uploads_pkey" PRIMARY KEY("zone_id","key_id")
);
--> statement-breakpoint
CREATE TABLE "zones" (
	"id" text PRIMARY KEY NOT NULL,
	"no" integer GENERATED ALWAYS AS IDENTITY (sequence name "zones_no_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"team_id" text,
	"user_id" text,
	"name" text collate "C" NOT NULL,
	"tree" text collate "C" NOT NULL,
	"state" text NOT NULL,
	"default_ttl" integer NOT NULL,
	"serial" bigint NOT NULL,
	"changed_xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"csk_private" text NOT NULL,
	"csk_public" text NOT NULL,
	"ds" text[] NOT NULL,
	"record_count" bigint,
	"stored_bytes" bigint,
	"record_room" bigint DEFAULT 0 NOT NULL,
	"byte_room" bigint DEFAULT 0 NOT NULL,
	"managed_by" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "zones_no_key" UNIQUE("no"),
	CONSTRAINT "zones_name_key" UNIQUE("name"),
	CONSTRAINT "zones_one_owner" CHECK (("zones"."team_id" is null) <> ("zones"."user_id" is null)),
	CONSTRAINT "zones_state" CHECK ("zones"."state" in ('active', 'parked')),
	CONSTRAINT "zones_default_ttl" CHECK ("zones"."default_ttl" between 30 and 86400),
	CONSTRAINT "zones_managed_by" CHECK (length("zones"."managed_by") between 1 and 400),
	CONSTRAINT "zones_serial" CHECK ("zones"."serial" between 1 and 4294967295)
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"team_id" text,
	"user_id" text,
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
	"last_used_by" text,
	"created_by" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_keys_one_holder" CHECK (("api_keys"."team_id" is null) <> ("api_keys"."user_id" is null)),
	CONSTRAINT "api_keys_person_whole" CHECK ("api_keys"."user_id" is null or ("api_keys"."records" = 'write' and "api_keys"."manage_zones" = 'write' and "api_keys"."only_names" is null and "api_keys"."only_types" is null)),
	CONSTRAINT "api_keys_records_level" CHECK ("api_keys"."records" in ('none', 'read', 'write')),
	CONSTRAINT "api_keys_manage_zones_level" CHECK ("api_keys"."manage_zones" in ('none', 'read', 'write'))
);
--> statement-breakpoint
CREATE TABLE "identities" (
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "identities_pkey" PRIMARY KEY("issuer","subject")
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" text PRIMARY KEY NOT NULL,
	"team_id" text NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"invited_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "invitations_team_email_key" UNIQUE("team_id","email"),
	CONSTRAINT "invitations_email_lower" CHECK ("invitations"."email" = lower("invitations"."email")),
	CONSTRAINT "invitations_role" CHECK ("invitations"."role" in ('owner', 'member'))
);
--> statement-breakpoint
CREATE TABLE "memberships" (
	"team_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memberships_pkey" PRIMARY KEY("team_id","user_id"),
	CONSTRAINT "memberships_role" CHECK ("memberships"."role" in ('owner', 'member'))
);
--> statement-breakpoint
CREATE TABLE "team_bindings" (
	"rule_team" text PRIMARY KEY NOT NULL,
	"team_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "team_bindings_team_key" UNIQUE("team_id")
);
--> statement-breakpoint
CREATE TABLE "teams" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"quota_zones" integer,
	"quota_records" bigint,
	"quota_bytes" bigint,
	"quota_keys" integer,
	"quota_members" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "teams_name_key" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_email_key" UNIQUE("email"),
	CONSTRAINT "users_email_lower" CHECK ("users"."email" = lower("users"."email"))
);
--> statement-breakpoint
CREATE TABLE "feed_changes" (
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"no" bigint GENERATED ALWAYS AS IDENTITY (sequence name "feed_changes_no_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"zone_id" text,
	"zone_name" text collate "C",
	"names" text[],
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "feed_changes_pkey" PRIMARY KEY("xid","no"),
	CONSTRAINT "feed_changes_kind" CHECK (case "feed_changes"."kind" when 'all' then "feed_changes"."zone_id" is null when 'changed' then "feed_changes"."zone_id" is not null
        when 'gone' then "feed_changes"."zone_id" is not null and "feed_changes"."zone_name" is not null else false end)
);
--> statement-breakpoint
CREATE TABLE "feed_positions" (
	"horizon" "xid8" PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "node_comparisons" (
	"one" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"token" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "node_comparisons_one_row" CHECK ("node_comparisons"."one" = 1)
);
--> statement-breakpoint
CREATE TABLE "node_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"networks" "cidr"[],
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	"last_used_by" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "nodes" (
	"name" text collate "C" NOT NULL,
	"instance" text NOT NULL,
	"key_id" text NOT NULL,
	"version" text NOT NULL,
	"engine" text NOT NULL,
	"cursor" text,
	"epoch" text,
	"position" "pg_snapshot",
	"zones" integer NOT NULL,
	"failing_count" integer NOT NULL,
	"failing" jsonb NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"first_at" timestamp with time zone NOT NULL,
	"reported_at" timestamp with time zone NOT NULL,
	CONSTRAINT "nodes_pkey" PRIMARY KEY("name","instance"),
	CONSTRAINT "nodes_position" CHECK (("nodes"."cursor" is null) = ("nodes"."position" is null))
);
--> statement-breakpoint
ALTER TABLE "idempotency" ADD CONSTRAINT "idempotency_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_zone_grants" ADD CONSTRAINT "key_zone_grants_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_zone_grants" ADD CONSTRAINT "key_zone_grants_zone_id_zones_id_fk" FOREIGN KEY ("zone_id") REFERENCES "public"."zones"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quarantined_names" ADD CONSTRAINT "quarantined_names_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quarantined_names" ADD CONSTRAINT "quarantined_names_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "records" ADD CONSTRAINT "records_zone_no_zones_no_fk" FOREIGN KEY ("zone_no") REFERENCES "public"."zones"("no") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "write_windows" ADD CONSTRAINT "write_windows_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zone_uploads" ADD CONSTRAINT "zone_uploads_zone_id_zones_id_fk" FOREIGN KEY ("zone_id") REFERENCES "public"."zones"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zone_uploads" ADD CONSTRAINT "zone_uploads_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zones" ADD CONSTRAINT "zones_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zones" ADD CONSTRAINT "zones_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_invited_by_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_bindings" ADD CONSTRAINT "team_bindings_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "nodes" ADD CONSTRAINT "nodes_key_id_node_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."node_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_changes_team_idx" ON "account_changes" USING btree ("team_id","id");--> statement-breakpoint
CREATE INDEX "alias_answers_due_idx" ON "alias_answers" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "alias_answers_owner_idx" ON "alias_answers" USING btree ("owner","due_at");--> statement-breakpoint
CREATE INDEX "changes_zone_idx" ON "changes" USING btree ("zone_id","id");--> statement-breakpoint
CREATE INDEX "idempotency_created_idx" ON "idempotency" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "quarantined_names_tree_idx" ON "quarantined_names" USING btree ("tree");--> statement-breakpoint
CREATE INDEX "quarantined_names_until_idx" ON "quarantined_names" USING btree ("until");--> statement-breakpoint
CREATE INDEX "quarantined_names_owner_idx" ON "quarantined_names" USING btree ("team_id","user_id","until");--> statement-breakpoint
CREATE UNIQUE INDEX "records_one_cname_idx" ON "records" USING btree ("zone_no","ordername") WHERE "records"."type" = 'CNAME';--> statement-breakpoint
CREATE INDEX "records_alias_idx" ON "records" USING btree ("rdata","zone_no") WHERE "records"."type" = 'ALIAS';--> statement-breakpoint
CREATE INDEX "zone_uploads_created_idx" ON "zone_uploads" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "zones_tree_idx" ON "zones" USING btree ("tree");--> statement-breakpoint
CREATE INDEX "zones_team_idx" ON "zones" USING btree ("team_id","name");--> statement-breakpoint
CREATE INDEX "zones_user_idx" ON "zones" USING btree ("user_id","name") WHERE "zones"."user_id" is not null;--> statement-breakpoint
CREATE INDEX "api_keys_team_idx" ON "api_keys" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "api_keys_user_idx" ON "api_keys" USING btree ("user_id") WHERE "api_keys"."user_id" is not null;--> statement-breakpoint
CREATE INDEX "identities_user_idx" ON "identities" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "invitations_email_idx" ON "invitations" USING btree ("email","created_at");--> statement-breakpoint
CREATE INDEX "invitations_invited_by_idx" ON "invitations" USING btree ("invited_by");--> statement-breakpoint
CREATE INDEX "memberships_user_idx" ON "memberships" USING btree ("user_id");