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
CREATE TABLE "person_windows" (
	"user_id" text NOT NULL,
	"bucket" text NOT NULL,
	"times" timestamptz[] NOT NULL,
	CONSTRAINT "person_windows_pkey" PRIMARY KEY("user_id","bucket")
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
CREATE TABLE "used_sign_ins" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"used_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"suspended_at" timestamp with time zone,
	"removed_at" timestamp with time zone,
	CONSTRAINT "users_email_key" UNIQUE("email"),
	CONSTRAINT "users_email_lower" CHECK ("users"."email" = lower("users"."email"))
);
--> statement-breakpoint
CREATE TABLE "check_changes" (
	"no" bigint GENERATED ALWAYS AS IDENTITY (sequence name "check_changes_no_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"owner" text collate "C" NOT NULL,
	"check_name" text collate "C" NOT NULL,
	"address" text collate "C" NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"before" text NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	CONSTRAINT "check_changes_pkey" PRIMARY KEY("owner","check_name","address","no")
);
--> statement-breakpoint
CREATE TABLE "check_lease" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"holder" text NOT NULL,
	"until" timestamp with time zone NOT NULL,
	CONSTRAINT "check_lease_one" CHECK ("check_lease"."one")
);
--> statement-breakpoint
CREATE TABLE "check_signals" (
	"owner" text collate "C" NOT NULL,
	"check_name" text collate "C" NOT NULL,
	"address" text collate "C" NOT NULL,
	"state" text NOT NULL,
	"reason" text NOT NULL,
	"until" timestamp with time zone NOT NULL,
	CONSTRAINT "check_signals_pkey" PRIMARY KEY("owner","check_name","address"),
	CONSTRAINT "check_signals_state" CHECK ("check_signals"."state" in ('Healthy', 'Unhealthy'))
);
--> statement-breakpoint
CREATE TABLE "check_targets" (
	"owner" text collate "C" NOT NULL,
	"check_name" text collate "C" NOT NULL,
	"address" text collate "C" NOT NULL,
	"state" text DEFAULT 'Unknown' NOT NULL,
	"reason" text,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	"pin" text,
	"pin_reason" text,
	"pinned_by" text,
	"pin_until" timestamp with time zone,
	"down" boolean DEFAULT false NOT NULL,
	"unmarked_since" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "check_targets_pkey" PRIMARY KEY("owner","check_name","address"),
	CONSTRAINT "check_targets_state" CHECK ("check_targets"."state" in ('Unknown', 'Healthy', 'Unhealthy')),
	CONSTRAINT "check_targets_pin" CHECK ("check_targets"."pin" in ('Healthy', 'Unhealthy'))
);
--> statement-breakpoint
CREATE TABLE "check_vantages" (
	"key_id" text PRIMARY KEY NOT NULL,
	"node" text collate "C" NOT NULL,
	"session" text NOT NULL,
	"part" integer NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"reported_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "check_votes" (
	"key_id" text NOT NULL,
	"owner" text collate "C" NOT NULL,
	"check_name" text collate "C" NOT NULL,
	"address" text collate "C" NOT NULL,
	"probe" text NOT NULL,
	"state" text NOT NULL,
	"reason" text,
	"part" integer NOT NULL,
	CONSTRAINT "check_votes_pkey" PRIMARY KEY("key_id","owner","check_name","address"),
	CONSTRAINT "check_votes_state" CHECK ("check_votes"."state" in ('Unknown', 'Healthy', 'Unhealthy'))
);
--> statement-breakpoint
CREATE TABLE "checks" (
	"owner" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"definition" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "checks_pkey" PRIMARY KEY("owner","name"),
	CONSTRAINT "checks_name" CHECK (length("checks"."name") between 1 and 63)
);
--> statement-breakpoint
CREATE TABLE "record_targets" (
	"target" text collate "C" NOT NULL,
	"owner" text collate "C" NOT NULL,
	"domain" text collate "C" NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"checked_at" timestamp with time zone,
	"absences" integer DEFAULT 0 NOT NULL,
	"absent_since" timestamp with time zone,
	"absent_name" text collate "C",
	"is_domain_absent" boolean DEFAULT false NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "record_targets_pkey" PRIMARY KEY("target","owner"),
	CONSTRAINT "record_targets_absent" CHECK (("record_targets"."absences" > 0) = ("record_targets"."absent_since" is not null))
);
--> statement-breakpoint
CREATE TABLE "target_walk" (
	"one" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"target" text collate "C" DEFAULT '' NOT NULL,
	"zone_no" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "target_walk_one" CHECK ("target_walk"."one" = 1)
);
--> statement-breakpoint
CREATE TABLE "cluster_watch" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	"ticked_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "cluster_watch_one" CHECK ("cluster_watch"."one")
);
--> statement-breakpoint
CREATE TABLE "clusters" (
	"owner" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"instance" text collate "C",
	"held_by" text collate "C",
	"heartbeat_at" timestamp with time zone DEFAULT now() NOT NULL,
	"drained_at" timestamp with time zone,
	"lost_at" timestamp with time zone,
	"unmarked_since" timestamp with time zone,
	"settle_xid" "xid8",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"objects" jsonb,
	"lease" text collate "C",
	"renewals" bigint,
	"restore" text collate "C",
	"etcd_restored_at" timestamp with time zone,
	"older_accepted_at" timestamp with time zone,
	"reachable_at" timestamp with time zone DEFAULT now() NOT NULL,
	"unreachable_at" timestamp with time zone,
	CONSTRAINT "clusters_pkey" PRIMARY KEY("owner","name"),
	CONSTRAINT "clusters_name" CHECK (length("clusters"."name") between 1 and 63),
	CONSTRAINT "clusters_instance" CHECK (length("clusters"."instance") between 1 and 64),
	CONSTRAINT "clusters_lease" CHECK (length("clusters"."lease") between 1 and 64),
	CONSTRAINT "clusters_restore" CHECK (length("clusters"."restore") between 1 and 64)
);
--> statement-breakpoint
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
	"denial" text NOT NULL,
	"serial" bigint NOT NULL,
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
CREATE TABLE "idempotency" (
	"key_id" text NOT NULL,
	"token" text NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"answer" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "idempotency_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
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
CREATE TABLE "trust_zone_grants" (
	"trust_id" text NOT NULL,
	"zone_id" text NOT NULL,
	"records" text NOT NULL,
	CONSTRAINT "trust_zone_grants_pkey" PRIMARY KEY("trust_id","zone_id"),
	CONSTRAINT "trust_zone_grants_level" CHECK ("trust_zone_grants"."records" in ('none', 'read', 'write'))
);
--> statement-breakpoint
CREATE TABLE "trust_zone_names" (
	"trust_id" text NOT NULL,
	"zone_name" text collate "C" NOT NULL,
	"records" text NOT NULL,
	CONSTRAINT "trust_zone_names_pkey" PRIMARY KEY("trust_id","zone_name"),
	CONSTRAINT "trust_zone_names_level" CHECK ("trust_zone_names"."records" in ('none', 'read', 'write'))
);
--> statement-breakpoint
CREATE TABLE "write_windows" (
	"key_id" text NOT NULL,
	"bucket" text NOT NULL,
	"times" timestamptz[] NOT NULL,
	CONSTRAINT "write_windows_pkey" PRIMARY KEY("key_id","bucket")
);
--> statement-breakpoint
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
CREATE TABLE "change_days" (
	"owner" text NOT NULL,
	"day" date NOT NULL,
	"changes" bigint NOT NULL,
	CONSTRAINT "change_days_pkey" PRIMARY KEY("owner","day")
);
--> statement-breakpoint
CREATE TABLE "changes" (
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
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
	"owner" text,
	"undoes" bigint[],
	"restored_to" timestamp with time zone,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "changes_pkey" PRIMARY KEY("id","at")
) PARTITION BY RANGE ("at");
--> statement-breakpoint
CREATE TABLE "history_marks" (
	"kind" text PRIMARY KEY NOT NULL,
	"counted_to" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "history_pruned" (
	"kind" text NOT NULL,
	"owner" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "history_pruned_pkey" PRIMARY KEY("kind","owner")
);
--> statement-breakpoint
CREATE TABLE "history_totals" (
	"kind" text NOT NULL,
	"owner" text NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "history_totals_pkey" PRIMARY KEY("kind","owner")
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
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"team_id" text,
	"user_id" text,
	"name" text NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"records" text NOT NULL,
	"manage_zones" text NOT NULL,
	"clusters" text DEFAULT 'none' NOT NULL,
	"signals" text[] DEFAULT '{}' NOT NULL,
	"rights_changed_at" timestamp with time zone,
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
	"trust_id" text,
	"subject" text collate "C",
	"pinned_uid" text,
	CONSTRAINT "api_keys_subject" CHECK (("api_keys"."trust_id" is null) = ("api_keys"."subject" is null)),
	CONSTRAINT "api_keys_one_holder" CHECK (("api_keys"."team_id" is null) <> ("api_keys"."user_id" is null)),
	CONSTRAINT "api_keys_person_whole" CHECK ("api_keys"."user_id" is null or ("api_keys"."records" = 'write' and "api_keys"."manage_zones" = 'write' and "api_keys"."only_names" is null and "api_keys"."only_types" is null)),
	CONSTRAINT "api_keys_records_level" CHECK ("api_keys"."records" in ('none', 'read', 'write')),
	CONSTRAINT "api_keys_manage_zones_level" CHECK ("api_keys"."manage_zones" in ('none', 'read', 'write')),
	CONSTRAINT "api_keys_clusters_right" CHECK ("api_keys"."clusters" in ('none', 'write'))
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
	"clusters" text DEFAULT 'none' NOT NULL,
	"signals" text[] DEFAULT '{}' NOT NULL,
	"rights_changed_at" timestamp with time zone,
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
	CONSTRAINT "trusts_clusters_right" CHECK ("trusts"."clusters" in ('none', 'write')),
	CONSTRAINT "trusts_max_token_age" CHECK ("trusts"."max_token_age_s" between 60 and 3600)
);
--> statement-breakpoint
CREATE TABLE "tsig_keys" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"key_id" text NOT NULL,
	"algorithm" text NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tsig_keys_key_id_key" UNIQUE("key_id"),
	CONSTRAINT "tsig_keys_name" CHECK (length("tsig_keys"."name") between 1 and 253),
	CONSTRAINT "tsig_keys_algorithm" CHECK ("tsig_keys"."algorithm" in ('hmac-md5', 'hmac-sha1', 'hmac-sha224', 'hmac-sha256', 'hmac-sha384', 'hmac-sha512'))
);
--> statement-breakpoint
CREATE TABLE "accepted_removals" (
	"one" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"epoch" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	CONSTRAINT "accepted_removals_one_row" CHECK ("accepted_removals"."one" = 1)
);
--> statement-breakpoint
CREATE TABLE "nameserver_cordons" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"until" timestamp with time zone NOT NULL,
	"reason" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "salvage_requests" (
	"one" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"token" text NOT NULL,
	"zones" text[] NOT NULL,
	"endings" boolean DEFAULT false NOT NULL,
	"keys_only" boolean DEFAULT false NOT NULL,
	"until" timestamp with time zone NOT NULL,
	CONSTRAINT "salvage_requests_one_row" CHECK ("salvage_requests"."one" = 1)
);
--> statement-breakpoint
CREATE TABLE "salvage_parts" (
	"instance" text NOT NULL,
	"zone" text collate "C" NOT NULL,
	"part" integer NOT NULL,
	"node" text collate "C" NOT NULL,
	"content" jsonb NOT NULL,
	CONSTRAINT "salvage_parts_pkey" PRIMARY KEY("instance","zone","part")
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
CREATE TABLE "node_samples" (
	"node" text collate "C" NOT NULL,
	"instance" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"answers" jsonb,
	"applied" bigint NOT NULL,
	"applied_seconds" double precision NOT NULL,
	CONSTRAINT "node_samples_pkey" PRIMARY KEY("node","instance","at")
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
	"left_at" timestamp with time zone,
	"answers" jsonb,
	"held" jsonb,
	"applied" bigint DEFAULT 0 NOT NULL,
	"applied_seconds" double precision DEFAULT 0 NOT NULL,
	CONSTRAINT "nodes_pkey" PRIMARY KEY("name","instance"),
	CONSTRAINT "nodes_position" CHECK (("nodes"."cursor" is null) = ("nodes"."position" is null))
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
CREATE TABLE "owned_sets" (
	"id" text PRIMARY KEY NOT NULL,
	"zone_no" integer NOT NULL,
	"owner" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"ordername" text collate "C" NOT NULL,
	"type" text NOT NULL,
	"generation" bigint,
	"instance" text,
	"accepts_older" boolean DEFAULT false NOT NULL,
	"digest" "bytea" NOT NULL,
	"value_count" integer NOT NULL,
	"ttl" integer,
	"comment" text,
	"share" boolean NOT NULL,
	"retain" boolean NOT NULL,
	"drift" text NOT NULL,
	"when_cluster_lost" text DEFAULT 'Keep' NOT NULL,
	"expires_at" timestamp with time zone,
	"due_at" timestamp with time zone,
	"applied_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "owned_sets_key" UNIQUE("zone_no","owner","ordername","type"),
	CONSTRAINT "owned_sets_owner" CHECK (length("owned_sets"."owner") between 1 and 400),
	CONSTRAINT "owned_sets_ttl" CHECK ("owned_sets"."ttl" between 30 and 86400),
	CONSTRAINT "owned_sets_comment" CHECK (length("owned_sets"."comment") between 1 and 500),
	CONSTRAINT "owned_sets_drift" CHECK ("owned_sets"."drift" in ('Enforce', 'Report', 'Ignore')),
	CONSTRAINT "owned_sets_when_cluster_lost" CHECK ("owned_sets"."when_cluster_lost" in ('Keep', 'Withdraw'))
);
--> statement-breakpoint
CREATE TABLE "record_owners" (
	"record_id" text NOT NULL,
	"set_id" text NOT NULL,
	"digest" "bytea" NOT NULL,
	CONSTRAINT "record_owners_pkey" PRIMARY KEY("record_id","set_id")
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
	"comment" text,
	"withdrawn" boolean DEFAULT false NOT NULL,
	"health" jsonb,
	"reverse_scope" jsonb,
	"reverse_of" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "records_rdata_key" UNIQUE("zone_no","ordername","type","digest"),
	CONSTRAINT "records_ttl" CHECK ("records"."ttl" between 30 and 86400),
	CONSTRAINT "records_priority" CHECK ("records"."priority" between 0 and 65535),
	CONSTRAINT "records_comment" CHECK (length("records"."comment") between 1 and 500)
);
--> statement-breakpoint
CREATE TABLE "reverse_due" (
	"no" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "reverse_due_no_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"owner" text collate "C" NOT NULL,
	"address" text NOT NULL,
	"zone_id" text NOT NULL,
	"record_id" text
);
--> statement-breakpoint
CREATE TABLE "secondaries" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"addresses" jsonb NOT NULL,
	"transfers_from" text[] NOT NULL,
	"tsig_name" text NOT NULL,
	"tsig_algorithm" text NOT NULL,
	"tsig_secret" text NOT NULL,
	"nameservers" text[] NOT NULL,
	"all_zones" boolean NOT NULL,
	"catalog" boolean NOT NULL,
	"notify" boolean NOT NULL,
	"require_tls" boolean DEFAULT false NOT NULL,
	"pins" text[] DEFAULT '{}' NOT NULL,
	"offered_to_all" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "secondaries_tsig_name_key" UNIQUE("tsig_name"),
	CONSTRAINT "secondaries_name" CHECK (length("secondaries"."name") between 1 and 32)
);
--> statement-breakpoint
CREATE TABLE "secondary_offers" (
	"secondary" text collate "C" NOT NULL,
	"team_id" text NOT NULL,
	"namespace" text collate "C" DEFAULT '' NOT NULL,
	CONSTRAINT "secondary_offers_pkey" PRIMARY KEY("secondary","team_id","namespace"),
	CONSTRAINT "secondary_offers_namespace" CHECK (length("secondary_offers"."namespace") <= 63)
);
--> statement-breakpoint
CREATE TABLE "secondary_reports" (
	"secondary" text collate "C" PRIMARY KEY NOT NULL,
	"node" text collate "C" NOT NULL,
	"zones" integer NOT NULL,
	"current" integer NOT NULL,
	"silent" text,
	"behind" jsonb NOT NULL,
	"position" "pg_snapshot",
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transfer_plan" (
	"one" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"source" text collate "C",
	"generation" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "transfer_plan_one_row" CHECK ("transfer_plan"."one" = 1)
);
--> statement-breakpoint
CREATE TABLE "transfer_slots" (
	"node" text collate "C" PRIMARY KEY NOT NULL,
	"slot" integer NOT NULL,
	CONSTRAINT "transfer_slots_slot_key" UNIQUE("slot"),
	CONSTRAINT "transfer_slots_slot" CHECK ("transfer_slots"."slot" between 0 and 3)
);
--> statement-breakpoint
CREATE TABLE "departing_zones" (
	"zone_id" text PRIMARY KEY NOT NULL,
	"zone_name" text collate "C" NOT NULL,
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"due" timestamp with time zone NOT NULL
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
CREATE TABLE "service" (
	"one" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"nameservers" text[] NOT NULL,
	"hostmaster" text NOT NULL,
	"secondary_nameservers" text[] DEFAULT '{}' NOT NULL,
	"seal_secret" "bytea" DEFAULT sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')) NOT NULL,
	"changed_xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	CONSTRAINT "service_one_row" CHECK ("service"."one" = 1)
);
--> statement-breakpoint
CREATE TABLE "zone_client_settings" (
	"zone_id" text PRIMARY KEY NOT NULL,
	"settings" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "zone_secondaries" (
	"zone_id" text NOT NULL,
	"secondary" text collate "C" NOT NULL,
	"by_administrator" boolean DEFAULT true NOT NULL,
	"by_owner" boolean DEFAULT false NOT NULL,
	"listed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "zone_secondaries_pkey" PRIMARY KEY("zone_id","secondary")
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
	"denial" text DEFAULT 'NSEC' NOT NULL,
	"serial" bigint NOT NULL,
	"changed_xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"ds" text[] NOT NULL,
	"record_count" bigint DEFAULT 0 NOT NULL,
	"stored_bytes" bigint DEFAULT 0 NOT NULL,
	"record_room" bigint DEFAULT 0 NOT NULL,
	"byte_room" bigint DEFAULT 0 NOT NULL,
	"owned_sets" integer DEFAULT 0 NOT NULL,
	"owners_version" bigint DEFAULT 0 NOT NULL,
	"managed_by" text,
	"comment" text,
	"secondary_nameservers" text[] DEFAULT '{}' NOT NULL,
	"delegation_xid" "xid8",
	"delegation_due" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "zones_no_key" UNIQUE("no"),
	CONSTRAINT "zones_name_key" UNIQUE("name"),
	CONSTRAINT "zones_delegation" CHECK (("zones"."delegation_xid" is null) = ("zones"."delegation_due" is null)),
	CONSTRAINT "zones_one_owner" CHECK (("zones"."team_id" is null) <> ("zones"."user_id" is null)),
	CONSTRAINT "zones_state" CHECK ("zones"."state" in ('active', 'parked')),
	CONSTRAINT "zones_default_ttl" CHECK ("zones"."default_ttl" between 30 and 86400),
	CONSTRAINT "zones_denial" CHECK ("zones"."denial" in ('NSEC', 'NSEC3')),
	CONSTRAINT "zones_managed_by" CHECK (length("zones"."managed_by") between 1 and 400),
	CONSTRAINT "zones_comment" CHECK (length("zones"."comment") between 1 and 500),
	CONSTRAINT "zones_serial" CHECK ("zones"."serial" between 1 and 4294967295)
);
--> statement-breakpoint
CREATE TABLE "zone_keys" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "zone_keys_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"zone_id" text NOT NULL,
	"algorithm" integer NOT NULL,
	"public_key" text NOT NULL,
	"private_key" text NOT NULL,
	"state" text NOT NULL,
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"shown_since" timestamp with time zone,
	"hold_s" integer,
	"waits_for" text,
	"look_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"roll_cancelled_at" timestamp with time zone,
	CONSTRAINT "zone_keys_state" CHECK ("zone_keys"."state" in ('presigning', 'published', 'ready', 'withdrawn', 'active', 'retired', 'postsigning')),
	CONSTRAINT "zone_keys_algorithm" CHECK ("zone_keys"."algorithm" in (8, 13, 14, 15)),
	CONSTRAINT "zone_keys_hold" CHECK ("zone_keys"."hold_s" >= 0)
);
--> statement-breakpoint
ALTER TABLE "check_changes" ADD CONSTRAINT "check_changes_target" FOREIGN KEY ("owner","check_name","address") REFERENCES "public"."check_targets"("owner","check_name","address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "check_signals" ADD CONSTRAINT "check_signals_check" FOREIGN KEY ("owner","check_name") REFERENCES "public"."checks"("owner","name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "check_targets" ADD CONSTRAINT "records_check_exists" FOREIGN KEY ("owner","check_name") REFERENCES "public"."checks"("owner","name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "check_vantages" ADD CONSTRAINT "check_vantages_key_id_node_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."node_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "check_votes" ADD CONSTRAINT "check_votes_key_id_check_vantages_key_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."check_vantages"("key_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "check_votes" ADD CONSTRAINT "check_votes_target" FOREIGN KEY ("owner","check_name","address") REFERENCES "public"."check_targets"("owner","check_name","address") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identities" ADD CONSTRAINT "identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_invited_by_users_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "person_windows" ADD CONSTRAINT "person_windows_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "team_bindings" ADD CONSTRAINT "team_bindings_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deleted_zone_rows" ADD CONSTRAINT "deleted_zone_rows_zone_id_deleted_zones_id_fk" FOREIGN KEY ("zone_id") REFERENCES "public"."deleted_zones"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deleted_zones" ADD CONSTRAINT "deleted_zones_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deleted_zones" ADD CONSTRAINT "deleted_zones_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency" ADD CONSTRAINT "idempotency_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_zone_grants" ADD CONSTRAINT "key_zone_grants_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_zone_grants" ADD CONSTRAINT "key_zone_grants_zone_id_zones_id_fk" FOREIGN KEY ("zone_id") REFERENCES "public"."zones"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trust_zone_grants" ADD CONSTRAINT "trust_zone_grants_trust_id_trusts_id_fk" FOREIGN KEY ("trust_id") REFERENCES "public"."trusts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trust_zone_grants" ADD CONSTRAINT "trust_zone_grants_zone_id_zones_id_fk" FOREIGN KEY ("zone_id") REFERENCES "public"."zones"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trust_zone_names" ADD CONSTRAINT "trust_zone_names_trust_id_trusts_id_fk" FOREIGN KEY ("trust_id") REFERENCES "public"."trusts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "write_windows" ADD CONSTRAINT "write_windows_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_trust_id_trusts_id_fk" FOREIGN KEY ("trust_id") REFERENCES "public"."trusts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trusts" ADD CONSTRAINT "trusts_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trusts" ADD CONSTRAINT "trusts_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tsig_keys" ADD CONSTRAINT "tsig_keys_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "nodes" ADD CONSTRAINT "nodes_key_id_node_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."node_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "owned_sets" ADD CONSTRAINT "owned_sets_zone_no_zones_no_fk" FOREIGN KEY ("zone_no") REFERENCES "public"."zones"("no") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "record_owners" ADD CONSTRAINT "record_owners_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "public"."records"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "record_owners" ADD CONSTRAINT "record_owners_set_id_owned_sets_id_fk" FOREIGN KEY ("set_id") REFERENCES "public"."owned_sets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "records" ADD CONSTRAINT "records_zone_no_zones_no_fk" FOREIGN KEY ("zone_no") REFERENCES "public"."zones"("no") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "secondary_offers" ADD CONSTRAINT "secondary_offers_secondary_secondaries_name_fk" FOREIGN KEY ("secondary") REFERENCES "public"."secondaries"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "secondary_offers" ADD CONSTRAINT "secondary_offers_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "secondary_reports" ADD CONSTRAINT "secondary_reports_secondary_secondaries_name_fk" FOREIGN KEY ("secondary") REFERENCES "public"."secondaries"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quarantined_names" ADD CONSTRAINT "quarantined_names_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quarantined_names" ADD CONSTRAINT "quarantined_names_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zone_client_settings" ADD CONSTRAINT "zone_client_settings_zone_id_zones_id_fk" FOREIGN KEY ("zone_id") REFERENCES "public"."zones"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zone_secondaries" ADD CONSTRAINT "zone_secondaries_zone_id_zones_id_fk" FOREIGN KEY ("zone_id") REFERENCES "public"."zones"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zone_secondaries" ADD CONSTRAINT "zone_secondaries_secondary_secondaries_name_fk" FOREIGN KEY ("secondary") REFERENCES "public"."secondaries"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zone_uploads" ADD CONSTRAINT "zone_uploads_zone_id_zones_id_fk" FOREIGN KEY ("zone_id") REFERENCES "public"."zones"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zone_uploads" ADD CONSTRAINT "zone_uploads_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zone_keys" ADD CONSTRAINT "zone_keys_zone_id_zones_id_fk" FOREIGN KEY ("zone_id") REFERENCES "public"."zones"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zones" ADD CONSTRAINT "zones_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zones" ADD CONSTRAINT "zones_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "record_targets_due_idx" ON "record_targets" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "record_targets_owner_idx" ON "record_targets" USING btree ("owner","due_at");--> statement-breakpoint
CREATE INDEX "record_targets_absent_idx" ON "record_targets" USING btree ("owner","target") WHERE "record_targets"."absences" > 0;--> statement-breakpoint
CREATE INDEX "records_target_idx" ON "records" USING btree ((substring("rdata" from '[^ ]+$')) collate "C","zone_no") WHERE "records"."type" in ('ALIAS', 'CNAME', 'MX', 'NS', 'SRV');--> statement-breakpoint
CREATE INDEX "check_changes_newest_idx" ON "check_changes" USING btree ("owner","check_name","at");--> statement-breakpoint
CREATE INDEX "check_targets_unmarked_idx" ON "check_targets" USING btree ("unmarked_since") WHERE "check_targets"."unmarked_since" is not null;--> statement-breakpoint
CREATE INDEX "check_votes_target_idx" ON "check_votes" USING btree ("owner","check_name","address");--> statement-breakpoint
CREATE INDEX "check_votes_part_idx" ON "check_votes" USING btree ("key_id","part");--> statement-breakpoint
CREATE INDEX "records_health_idx" ON "records" USING btree (("health" ->> 'check'),"rdata") WHERE "records"."health" is not null;--> statement-breakpoint
CREATE INDEX "reverse_due_xid_idx" ON "reverse_due" USING btree ("xid");--> statement-breakpoint
CREATE INDEX "records_reverse_idx" ON "records" USING btree ("rdata","zone_no") WHERE ("records"."health" -> 'reverse') is not null;--> statement-breakpoint
CREATE INDEX "records_reverse_of_idx" ON "records" USING btree ("reverse_of") WHERE "records"."reverse_of" is not null;--> statement-breakpoint
CREATE INDEX "identities_user_idx" ON "identities" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "identities_issuer_user_key" ON "identities" USING btree ("issuer","user_id");--> statement-breakpoint
CREATE INDEX "invitations_email_idx" ON "invitations" USING btree ("email","created_at");--> statement-breakpoint
CREATE INDEX "invitations_invited_by_idx" ON "invitations" USING btree ("invited_by");--> statement-breakpoint
CREATE INDEX "memberships_user_idx" ON "memberships" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "used_sign_ins_used_idx" ON "used_sign_ins" USING btree ("used_at");--> statement-breakpoint
CREATE INDEX "clusters_away_idx" ON "clusters" USING btree ("owner") WHERE "clusters"."drained_at" is not null or "clusters"."lost_at" is not null or "clusters"."unmarked_since" is not null;--> statement-breakpoint
CREATE INDEX "deleted_zone_rows_zone_idx" ON "deleted_zone_rows" USING btree ("zone_id","origin");--> statement-breakpoint
CREATE INDEX "deleted_zones_name_idx" ON "deleted_zones" USING btree ("name","deleted_at");--> statement-breakpoint
CREATE INDEX "deleted_zones_until_idx" ON "deleted_zones" USING btree ("until");--> statement-breakpoint
CREATE INDEX "deleted_zones_owner_idx" ON "deleted_zones" USING btree ("team_id","user_id","deleted_at");--> statement-breakpoint
CREATE INDEX "idempotency_id_idx" ON "idempotency" USING btree ("id");--> statement-breakpoint
CREATE INDEX "trust_zone_grants_zone_idx" ON "trust_zone_grants" USING btree ("zone_id");--> statement-breakpoint
CREATE INDEX "trust_zone_names_name_idx" ON "trust_zone_names" USING btree ("zone_name");--> statement-breakpoint
CREATE INDEX "account_changes_team_idx" ON "account_changes" USING btree ("team_id","id");--> statement-breakpoint
CREATE INDEX "account_changes_endings_idx" ON "account_changes" USING btree ("id") WHERE "account_changes"."action" in ('key.revoke', 'trust.revoke', 'member.remove', 'user.suspend', 'user.remove', 'cluster.drain', 'cluster.restore');--> statement-breakpoint
CREATE INDEX "changes_zone_idx" ON "changes" USING btree ("zone_id","id");--> statement-breakpoint
CREATE INDEX "changes_unowned_idx" ON "changes" USING btree (coalesce("team_id", "user_id"),"id") WHERE "changes"."owner" is null and "changes"."action" in ('record.update', 'record.delete');--> statement-breakpoint
CREATE INDEX "history_usage_owner_idx" ON "history_usage" USING btree ("kind","owner","bucket");--> statement-breakpoint
CREATE INDEX "api_keys_team_idx" ON "api_keys" USING btree ("team_id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_subject_key" ON "api_keys" USING btree ("trust_id","subject") WHERE "api_keys"."trust_id" is not null;--> statement-breakpoint
CREATE INDEX "api_keys_user_idx" ON "api_keys" USING btree ("user_id") WHERE "api_keys"."user_id" is not null;--> statement-breakpoint
CREATE INDEX "trusts_issuer_idx" ON "trusts" USING btree ("issuer");--> statement-breakpoint
CREATE INDEX "trusts_team_idx" ON "trusts" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "node_samples_at_idx" ON "node_samples" USING btree ("at");--> statement-breakpoint
CREATE INDEX "alias_answers_due_idx" ON "alias_answers" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "alias_answers_owner_idx" ON "alias_answers" USING btree ("owner","due_at");--> statement-breakpoint
CREATE INDEX "owned_sets_name_idx" ON "owned_sets" USING btree ("zone_no","ordername");--> statement-breakpoint
CREATE INDEX "owned_sets_owner_idx" ON "owned_sets" USING btree ("owner","zone_no");--> statement-breakpoint
CREATE INDEX "owned_sets_due_idx" ON "owned_sets" USING btree ("due_at") WHERE "owned_sets"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "record_owners_set_idx" ON "record_owners" USING btree ("set_id");--> statement-breakpoint
CREATE UNIQUE INDEX "records_one_cname_idx" ON "records" USING btree ("zone_no","ordername") WHERE "records"."type" = 'CNAME';--> statement-breakpoint
CREATE INDEX "records_alias_idx" ON "records" USING btree ("rdata","zone_no") WHERE "records"."type" = 'ALIAS';--> statement-breakpoint
CREATE INDEX "secondary_offers_team_idx" ON "secondary_offers" USING btree ("team_id");--> statement-breakpoint
CREATE INDEX "departing_zones_due_idx" ON "departing_zones" USING btree ("due");--> statement-breakpoint
CREATE INDEX "departing_zones_name_idx" ON "departing_zones" USING btree ("zone_name");--> statement-breakpoint
CREATE UNIQUE INDEX "quarantined_names_tree_idx" ON "quarantined_names" USING btree ("tree");--> statement-breakpoint
CREATE INDEX "quarantined_names_until_idx" ON "quarantined_names" USING btree ("until");--> statement-breakpoint
CREATE INDEX "quarantined_names_owner_idx" ON "quarantined_names" USING btree ("team_id","user_id","until");--> statement-breakpoint
CREATE INDEX "zone_secondaries_secondary_idx" ON "zone_secondaries" USING btree ("secondary");--> statement-breakpoint
CREATE INDEX "zone_uploads_created_idx" ON "zone_uploads" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "zone_keys_zone_idx" ON "zone_keys" USING btree ("zone_id","public_key");--> statement-breakpoint
CREATE INDEX "zone_keys_public_key_idx" ON "zone_keys" USING btree ("public_key");--> statement-breakpoint
CREATE UNIQUE INDEX "zone_keys_roll_idx" ON "zone_keys" USING btree ("zone_id") WHERE "zone_keys"."look_at" is not null;--> statement-breakpoint
CREATE INDEX "zone_keys_look_idx" ON "zone_keys" USING btree ("look_at") WHERE "zone_keys"."look_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "zones_tree_idx" ON "zones" USING btree ("tree");--> statement-breakpoint
CREATE INDEX "zones_delegation_idx" ON "zones" USING btree ("delegation_due") WHERE "zones"."delegation_due" is not null;--> statement-breakpoint
CREATE INDEX "zones_team_idx" ON "zones" USING btree ("team_id","name");--> statement-breakpoint
CREATE INDEX "zones_user_idx" ON "zones" USING btree ("user_id","name") WHERE "zones"."user_id" is not null;--> statement-breakpoint
-- Each of these tables has one row.
insert into transfer_plan default values;
--> statement-breakpoint
insert into cluster_watch default values;
--> statement-breakpoint
-- Each node changes its row every second, and each change of records that of its zone. With room in its page, Postgres replaces the row
-- there, and no index changes.
alter table nodes set (fillfactor = 50);
--> statement-breakpoint
alter table zones set (fillfactor = 80);
--> statement-breakpoint
-- The history is partitioned by month, which drizzle cannot express. The rows of a month without a partition are in changes_default, so
-- no insert fails. The retention makes the partitions of the coming months, and drops old ones.
create table changes_default partition of changes default;
--> statement-breakpoint
-- Makes the partition of a month, and moves its rows out of changes_default. A month of which changes_default has many rows stays there:
-- to move them would block readers for long. A table that is attached takes a weaker lock than one that is created as a partition.
create function add_changes_month(month date) returns boolean language plpgsql as $$
declare
  part text := 'changes_' || to_char(month, 'YYYY_MM');
  low timestamptz := date_trunc('month', month::timestamp) at time zone 'UTC';
  high timestamptz := (date_trunc('month', month::timestamp) + interval '1 month') at time zone 'UTC';
begin
  if to_regclass(part) is not null then
    return false;
  end if;
  lock table changes_default in access exclusive mode;
  if (select count(*) from (select from changes_default where at >= low and at < high limit 10001) found) > 10000 then
    return false;
  end if;
  execute format('create table %I (like changes including defaults including constraints including indexes)', part);
  execute format('with moved as (delete from changes_default where at >= %L and at < %L returning *) insert into %I select * from moved',
    low, high, part);
  execute format('alter table changes attach partition %I for values from (%L) to (%L)', part, low, high);
  return true;
end $$;
--> statement-breakpoint
select add_changes_month((date_trunc('month', now() at time zone 'UTC') + n * interval '1 month')::date) from generate_series(0, 2) n;
--> statement-breakpoint
-- The triggers and functions, which drizzle cannot express.
--
-- An ordername is the owner name relative to the zone with its labels reversed, joined by one space, '' at the apex. In byte order this
-- is DNSSEC's canonical order (RFC 4034 section 6.1), and "below name x" is the range from x || ' ' up to x || '!' ('!' is the byte
-- after the space).
--
-- The functions that switch plans off find each row by an index, however large Postgres believes the tables to be: the plan is made once
-- a connection.

-- A CNAME is the only record at its name (RFC 1034 section 3.6.2). The check runs once for each statement instead of once for each row:
-- an import writes a thousand rows with one statement, and the trigger took half of its time. The check locks the row of the zone and
-- runs after the rows are written, so it sees the rows that another writer committed while it held the zone.
create function cname_stands_alone_in_statement() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform from zones where no in (select w.zone_no from written w) order by no for no key update;
  if exists (select from written w join records r on r.zone_no = w.zone_no and r.ordername = w.ordername
               where w.type <> 'CNAME' and r.type = 'CNAME' and r.id <> w.id)
     or exists (select from written w join records r on r.zone_no = w.zone_no and r.ordername = w.ordername
               where w.type = 'CNAME' and r.type <> 'CNAME' and r.id <> w.id) then
    raise exception 'a CNAME stands alone at its name' using errcode = 'exclusion_violation', constraint = 'records_cname_alone';
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger records_cname_alone_insert after insert on records referencing new table as written
  for each statement execute function cname_stands_alone_in_statement();
--> statement-breakpoint
create trigger records_cname_alone_update after update on records referencing new table as written
  for each statement execute function cname_stands_alone_in_statement();
--> statement-breakpoint
-- An ALIAS has the row of its target from the moment it commits, also if it was written past the api. The resolver of the api fills
-- the row, and deletes rows that no record needs when they are due.
create function alias_wants_answer() returns trigger language plpgsql as $$
begin
  insert into alias_answers (target, owner)
    select new.rdata, coalesce(z.team_id, z.user_id) from zones z where z.no = new.zone_no
    on conflict do nothing;
  return null;
end $$;
--> statement-breakpoint
create trigger records_alias_wants_answer after insert or update of rdata on records
  for each row when (new.type = 'ALIAS') execute function alias_wants_answer();
--> statement-breakpoint
-- A record with a check has the row of its address from the moment it commits, also if it was written past the api. A check that does
-- not exist refuses the record: records_check_exists.
create function record_wants_check() returns trigger language plpgsql as $$
begin
  insert into check_targets (owner, check_name, address)
    select coalesce(z.team_id, z.user_id), new.health ->> 'check', new.rdata from zones z where z.no = new.zone_no
    on conflict do nothing;
  return null;
end $$;
--> statement-breakpoint
create trigger records_want_check after insert or update of rdata, health on records
  for each row when (new.health ->> 'check' is not null) execute function record_wants_check();
--> statement-breakpoint
-- Each change of the state of an address, by any statement. The newest hundred of each address stay.
create function note_check_change() returns trigger language plpgsql as $$
begin
  insert into check_changes (owner, check_name, address, at, before, state, reason)
    values (new.owner, new.check_name, new.address, clock_timestamp(), old.state, new.state, new.reason);
  delete from check_changes c
    where c.owner = new.owner and c.check_name = new.check_name and c.address = new.address and c.no <= (
      select o.no from check_changes o
      where o.owner = new.owner and o.check_name = new.check_name and o.address = new.address
      order by o.no desc offset 100 limit 1);
  return null;
end $$;
--> statement-breakpoint
create trigger check_targets_change_noted after update of state on check_targets
  for each row when (old.state <> new.state) execute function note_check_change();
--> statement-breakpoint
-- A change of the answers of a zone sets its changed_xid. The service writes the changed names next to it, in the same statement. This
-- trigger adds the rows for zones that are created or deleted, and for a change that comes without its names: it counts as a change of the whole
-- zone. The nodes keep a deleted zone until no living node delegates it, so the row that tells them to remove it follows later.
create function announce_zone() returns trigger language plpgsql
set enable_seqscan = off as $$
begin
  if tg_op = 'DELETE' then
    if not exists (select from departing_zones d where d.zone_id = old.id) then
      insert into feed_changes (kind, zone_id, zone_name) values ('gone', old.id, old.name);
    end if;
  elsif tg_op = 'INSERT' then
    insert into feed_changes (kind, zone_id) values ('changed', new.id);
  elsif not exists (select from feed_changes f where f.xid = new.changed_xid and f.zone_id = new.id) then
    insert into feed_changes (kind, zone_id) values ('changed', new.id);
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger zones_announced after insert or delete on zones for each row execute function announce_zone();
--> statement-breakpoint
create trigger zones_change_announced after update of changed_xid on zones
  for each row when (old.changed_xid is distinct from new.changed_xid) execute function announce_zone();
--> statement-breakpoint
-- The name servers and the contact in every zone.
create function announce_service() returns trigger language plpgsql as $$
begin
  new.changed_xid := pg_current_xact_id();
  insert into feed_changes (kind) values ('all');
  return new;
end $$;
--> statement-breakpoint
-- After, because a trigger before would also run for an insert that finds the row and leaves it as it is.
create trigger service_made_announced after insert on service for each row execute function announce_service();
--> statement-breakpoint
-- The names that secondaries add are part of every zone, like the service's own.
create trigger service_change_announced before update on service
  for each row when ((old.nameservers, old.hostmaster, old.secondary_nameservers)
    is distinct from (new.nameservers, new.hostmaster, new.secondary_nameservers))
  execute function announce_service();
--> statement-breakpoint
-- Whether all owners of each record are withdrawn. An owner `k8s:<cluster>/…` is withdrawn while its cluster is drained, and while its
-- cluster is lost if the set says so. A record without owners is not withdrawn. One query judges many records: a function call for each
-- record took most of the time of a drain.
create function withdrawn_of(ids text[]) returns table (record_id text, is_withdrawn boolean) language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
    select i.id, coalesce(bool_and(c.name is not null
      and (c.drained_at is not null or (c.lost_at is not null and s.when_cluster_lost = 'Withdraw')))
      filter (where s.id is not null), false)
    from unnest(ids) i(id) left join record_owners o on o.record_id = i.id left join owned_sets s on s.id = o.set_id
      left join zones z on z.no = s.zone_no
      left join clusters c on c.owner = coalesce(z.team_id, z.user_id) and c.name = split_part(substr(s.owner, 5), '/', 1)
        and s.owner like 'k8s:%/%'
    group by i.id;
end $$;
--> statement-breakpoint
-- Corrects `withdrawn` of some records, and announces their names with a new serial of their zones. The caller holds the zones locked.
create function correct_withdrawn(ids text[]) returns integer language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  corrected integer;
begin
  with changed as (
    update records r set withdrawn = w.is_withdrawn from withdrawn_of(ids) w
    where r.id = w.record_id and r.withdrawn <> w.is_withdrawn
    returning r.zone_no, r.name
  ), concerned as (
    select zone_no, array_agg(distinct name) as names, count(*)::integer as records from changed group by zone_no
  ), marked as (
    update zones z set changed_xid = pg_current_xact_id(),
      serial = case when z.serial < floor(extract(epoch from now())) then floor(extract(epoch from now()))::bigint
        else z.serial % 4294967295 + 1 end
    from concerned c where z.no = c.zone_no returning z.id, c.names
  ), announced as (
    insert into feed_changes (kind, zone_id, names)
    select 'changed', id, case when cardinality(names) <= 1000 then names end from marked
  )
  select coalesce(sum(records), 0) into corrected from concerned;
  return corrected;
end $$;
--> statement-breakpoint
-- Nearly always no cluster is lost, and the first look ends the work. Each statement here sees every earlier commit, so a
-- transaction that does not see a new state of a cluster had begun to write before that state was committed. The marking of records
-- in store/cluster-marks.ts waits for it.
create function owners_changed() returns trigger language plpgsql as $$
begin
  if exists (select from clusters where drained_at is not null or lost_at is not null or unmarked_since is not null) then
    perform correct_withdrawn(array(select distinct record_id from changed));
  end if;
  return null;
end $$;
--> statement-breakpoint
create function when_cluster_lost_changed() returns trigger language plpgsql as $$
begin
  if exists (select from clusters where drained_at is not null or lost_at is not null or unmarked_since is not null) then
    perform correct_withdrawn(array(select record_id from record_owners where set_id = new.id));
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger record_owners_added after insert on record_owners referencing new table as changed
  for each statement execute function owners_changed();
--> statement-breakpoint
create trigger record_owners_removed after delete on record_owners referencing old table as changed
  for each statement execute function owners_changed();
--> statement-breakpoint
create trigger owned_sets_when_cluster_lost after update on owned_sets for each row
  when (old.when_cluster_lost <> new.when_cluster_lost) execute function when_cluster_lost_changed();
--> statement-breakpoint
-- Reverse records. An A or AAAA record with `reverse` wants a PTR record at the reverse name of its address. Triggers on records and zones
-- put the addresses whose PTR may have to change into reverse_due, and a deferred trigger applies them when the transaction commits: every
-- way to change records is covered, and the PTR commits with its address. A transaction applies at most 200 rows itself, and a round of
-- the api the rows that are left (store/reverse.ts).
--
-- Locks are taken in this order: the zones of the request, the advisory lock, then the reverse zones by number. Records in reverse zones
-- get no PTR themselves, so no transaction locks a reverse zone before a zone with addresses.

-- The name of an address in in-addr.arpa (RFC 1035 section 3.5) or ip6.arpa (RFC 3596 section 2.5).
create function reverse_name(address text) returns text language sql immutable strict parallel safe as $$
  select case when position(':' in address) = 0
    then split_part(address, '.', 4) || '.' || split_part(address, '.', 3) || '.' || split_part(address, '.', 2) || '.'
      || split_part(address, '.', 1) || '.in-addr.arpa'
    else regexp_replace(reverse(encode(substr(inet_send(address::inet), 5), 'hex')), '(.)', '\1.', 'g') || 'ip6.arpa' end
$$;
--> statement-breakpoint
-- The address of such a name; null: it is the name of no address.
create function reverse_address(full_name text) returns text language sql immutable strict parallel safe as $$
  select case
    when full_name ~ '^((0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])\.){4}in-addr\.arpa$'
      then split_part(full_name, '.', 4) || '.' || split_part(full_name, '.', 3) || '.' || split_part(full_name, '.', 2) || '.'
        || split_part(full_name, '.', 1)
    when full_name ~ '^([0-9a-f]\.){32}ip6\.arpa$'
      then host(regexp_replace(reverse(replace(left(full_name, 63), '.', '')), '(.{4})(?=.)', '\1:', 'g')::inet) end
$$;
--> statement-breakpoint
create function is_reverse_name(full_name text) returns boolean language sql immutable strict parallel safe as $$
  select full_name ~ '(^|\.)(in-addr|ip6)\.arpa$'
$$;
--> statement-breakpoint
-- Where a reverse name is stored: no row if the deepest hosted zone that contains it is not the owner's. is_cut: it is delegated or
-- redirected there. alias: the target of its CNAME.
create function reverse_place(full_name text, of_owner text)
returns table (zone_no integer, zone_id text, name text, ordername text, is_cut boolean, alias text) language plpgsql stable strict
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  labels text[] := string_to_array(full_name, '.');
  home record;
  path text[];
  paths text[];
begin
  select z.no, z.id, z.name, coalesce(z.team_id, z.user_id) as owner into home from zones z
    where z.name = any(array(select array_to_string(labels[i:], '.') from generate_series(1, cardinality(labels)) i))
    order by length(z.name) desc limit 1;
  if home.no is null or home.owner <> of_owner then
    return;
  end if;
  labels := labels[:cardinality(labels) - cardinality(string_to_array(home.name, '.'))];
  path := array(select labels[i] from generate_series(cardinality(labels), 1, -1) i);
  paths := array(select array_to_string(path[:i], ' ') from generate_series(0, cardinality(path)) i);
  return query select home.no, home.id, case when cardinality(labels) = 0 then '@' else array_to_string(labels, '.') end,
    array_to_string(path, ' '),
    exists (select from records r where r.zone_no = home.no and r.ordername = any(paths)
      and ((r.type = 'NS' and r.ordername <> '') or (r.type = 'DNAME' and r.ordername <> array_to_string(path, ' ')))),
    (select rtrim(r.rdata, '.') from records r
      where r.zone_no = home.no and r.ordername = array_to_string(path, ' ') and r.type = 'CNAME');
end $$;
--> statement-breakpoint
-- The state of each record of the owner that wants a PTR for one of the addresses, as dns/reverse.ts names the states. The PTR stays with
-- the record that has it; otherwise the oldest record gets it. A classless delegation (RFC 2317) is followed: one CNAME into another zone
-- of the owner.
create function reverse_plan(of_owner text, addresses text[]) returns table (record_id text, address text, target text,
  zone_no integer, name text, ordername text, state text) language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
begin
  return query
    with wanting as materialized (
      select r.id, r.rdata as address, r.created_at, r.withdrawn, r.reverse_scope as scope, r.name as own_name, z.name as zone,
        case r.name when '@' then z.name else r.name || '.' || z.name end as target
      from unnest(addresses) a(address) cross join lateral (
          select * from records where rdata = a.address and (health -> 'reverse') is not null offset 0) r
        join zones z on z.no = r.zone_no
      where coalesce(z.team_id, z.user_id) = of_owner
    ), placed as materialized (
      select a.address, f.zone_no is null as is_missing,
        f.is_cut or (f.alias is not null and (s.zone_no is null or s.is_cut or s.alias is not null)) as is_delegated,
        case when f.alias is null then f.zone_no else s.zone_no end as zone_no,
        case when f.alias is null then f.zone_id else s.zone_id end as zone_id,
        case when f.alias is null then f.name else s.name end as name,
        case when f.alias is null then f.ordername else s.ordername end as ordername
      from (select distinct w.address from wanting w) a
        left join lateral reverse_place(reverse_name(a.address), of_owner) f on true
        left join lateral reverse_place(case when is_reverse_name(f.alias) then f.alias end, of_owner) s on true
    ), judged as (
      select w.id, w.address, w.target, w.created_at, p.zone_no, p.name, p.ordername,
        case
          when is_reverse_name(w.zone) then 'ReverseZone'
          when w.own_name = '*' or w.own_name like '*.%' then 'Wildcard'
          when w.target !~ '^[a-z0-9_-]+(\.[a-z0-9_-]+)+$' then 'NotAHostName'
          when w.withdrawn then 'Withdrawn'
          when p.is_missing then 'NoReverseZone'
          when p.is_delegated then 'Delegated'
          when (w.scope is not null and (w.scope -> 'zones' is null or w.scope -> 'zones' ? p.zone_id)
            and (w.scope -> 'not' is null or not w.scope -> 'not' ? p.zone_id)
            and (w.scope -> 'names' is null
              or exists (select from jsonb_array_elements_text(w.scope -> 'names') n(pattern) where p.name like n.pattern)))
            is not true then 'NotPermitted'
          when exists (select from records r where r.zone_no = p.zone_no and r.ordername = p.ordername and r.type = 'PTR'
            and r.reverse_of is null) then 'HandWritten'
        end as problem,
        exists (select from records r where r.zone_no = p.zone_no and r.ordername = p.ordername and r.type = 'PTR'
          and r.reverse_of = w.address and r.rdata = w.target || '.') as is_present
      from wanting w join placed p on p.address = w.address
    )
    select j.id, j.address, j.target, j.zone_no, j.name, j.ordername, coalesce(j.problem,
      case row_number() over (partition by j.address, j.problem is null order by j.is_present desc, j.created_at, j.id)
        when 1 then 'Written' else 'OtherName' end)
    from judged j;
end $$;
--> statement-breakpoint
-- Writes and deletes the PTR records of some addresses of an owner, with a new serial, the history and the announcement of their zones.
-- due: objects with address, zone and record; the history of that zone has the request that the new entries are a part of.
create function apply_reverse(of_owner text, due jsonb) returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  addresses text[] := array(select distinct d ->> 'address' from jsonb_array_elements(due) d);
  locked integer[] := '{}';
  needed integer[];
  written jsonb;
begin
  -- A transaction that makes or deletes a reverse zone has this lock alone: each sees the other's records.
  perform pg_advisory_xact_lock_shared(hashtext('zonestead reverse zones'));
  loop
    written := coalesce((select jsonb_agg(to_jsonb(p)) from reverse_plan(of_owner, addresses) p where p.state = 'Written'), '[]');
    -- Every zone by which the plan decides, also against a PTR: a transaction that changes one of them at the same moment does not see
    -- the addresses of this one.
    needed := array(
      select p.zone_no from unnest(addresses) a(address)
        cross join lateral reverse_place(reverse_name(a.address), of_owner) f
        left join lateral reverse_place(case when is_reverse_name(f.alias) then f.alias end, of_owner) s on true
        cross join lateral (values (f.zone_no), (s.zone_no)) p(zone_no)
      where p.zone_no is not null
      union select r.zone_no from records r join zones z on z.no = r.zone_no
        where r.reverse_of = any(addresses) and coalesce(z.team_id, z.user_id) = of_owner);
    exit when needed <@ locked;
    perform from zones z where z.no = any(needed) order by z.no for no key update;
    locked := locked || needed;
  end loop;
  perform set_config('zonestead.reverse', 'on', true);
  with plan as materialized (
    select p.* from jsonb_to_recordset(written) p(address text, target text, zone_no integer, name text, ordername text)
  ), present as materialized (
    select r.id, r.zone_no, r.ordername, r.rdata, r.reverse_of from records r join zones z on z.no = r.zone_no
    where r.reverse_of = any(addresses) and coalesce(z.team_id, z.user_id) = of_owner
  ), gone as (
    delete from records r using present o
    where r.id = o.id and not exists (select from plan p where p.address = o.reverse_of and p.zone_no = o.zone_no
      and p.ordername = o.ordername and p.target || '.' = o.rdata)
    returning r.*
  ), made as (
    insert into records (id, zone_no, name, ordername, type, content, rdata, digest, reverse_of)
    select 'rec_' || left(replace(gen_random_uuid()::text, '-', ''), 20), p.zone_no, p.name, p.ordername, 'PTR', p.target, p.target || '.',
      sha256((select string_agg(set_byte('\x00'::bytea, 0, length(l.label)) || convert_to(l.label, 'UTF8'), ''::bytea order by l.at)
        from unnest(string_to_array(p.target, '.')) with ordinality l(label, at)) || '\x00'::bytea), p.address
    from plan p where not exists (select from present o where o.reverse_of = p.address and o.zone_no = p.zone_no
      and o.ordername = p.ordername and o.rdata = p.target || '.')
    on conflict do nothing
    returning *
  ), changed as (
    select -1 as sign, 'record.delete' as action, gone.* from gone union all select 1, 'record.create', made.* from made
  ), concerned as (
    select c.zone_no, array_agg(distinct c.name) as names, sum(c.sign) as records,
      sum(c.sign * (octet_length(c.name) + octet_length(c.content) + coalesce(octet_length(c.comment), 0))) as bytes
    from changed c group by c.zone_no
  ), marked as (
    update zones z set changed_xid = pg_current_xact_id(), updated_at = now(), record_count = z.record_count + c.records,
      stored_bytes = z.stored_bytes + c.bytes,
      serial = case when z.serial < floor(extract(epoch from now())) then floor(extract(epoch from now()))::bigint
        else z.serial % 4294967295 + 1 end
    from concerned c where z.no = c.zone_no
    returning z.no, z.id, z.name, z.team_id, z.user_id, z.serial, z.default_ttl, c.names
  ), announced as (
    insert into feed_changes (kind, zone_id, names)
    select 'changed', m.id, case when cardinality(m.names) <= 1000 then m.names end from marked m
  ), entry as materialized (
    -- The newest entry of each zone is for the records that have none among these.
    select z.zone, l.key_id, l.request_id, coalesce(l.after, l.before) ->> 'id' as record, l.place
    from (select distinct d ->> 'zone' as zone from jsonb_array_elements(due) d) z cross join lateral (
      select c.*, row_number() over (order by c.id desc) as place from changes c where c.zone_id = z.zone and c.at = now()
      order by c.id desc limit 1000) l
  ), cause as materialized (
    select distinct on (d.address) d.address, h.key_id, h.request_id
    from jsonb_to_recordset(due) d(address text, zone text, record text)
      left join entry h on h.zone = d.zone and (h.record = d.record or h.place = 1)
    order by d.address, h.record = d.record desc nulls last, h.place
  )
  insert into changes (zone_id, zone_name, team_id, user_id, key_id, request_id, action, before, after, serial)
  select m.id, m.name, m.team_id, m.user_id, coalesce(s.key_id, 'service'), coalesce(s.request_id, 'reverse-' || pg_current_xact_id()),
    c.action, case when c.sign < 0 then v.view end, case when c.sign > 0 then v.view end, m.serial
  from changed c join marked m on m.no = c.zone_no left join cause s on s.address = c.reverse_of
    cross join lateral (select jsonb_build_object('id', c.id, 'name', c.name, 'type', c.type, 'content', c.content,
      'ttl', coalesce(c.ttl, m.default_ttl), 'priority', null, 'reverseOf', c.reverse_of) as view) v
  order by c.sign;
  perform set_config('zonestead.reverse', '', true);
end $$;
--> statement-breakpoint
-- Applies the rows that this transaction added, or any rows if by_all; at most so many. Returns how many there were.
create function apply_reverse_due(most integer, by_all boolean) returns integer language plpgsql
set enable_seqscan = off as $$
declare
  share record;
  chosen bigint[];
  applied integer := 0;
begin
  -- Chosen by a statement of its own: as a part of the next one, it would run again for each row of the table.
  if by_all then
    chosen := array(select d.no from reverse_due d order by d.no limit most for update skip locked);
  else
    chosen := array(select d.no from reverse_due d where d.xid = pg_current_xact_id() limit most for update skip locked);
  end if;
  for share in
    with taken as (delete from reverse_due where no = any(chosen) returning *)
    select t.owner, count(*)::integer as size,
      jsonb_agg(jsonb_build_object('address', t.address, 'zone', t.zone_id, 'record', t.record_id)) as due
    from taken t group by t.owner order by t.owner
  loop
    perform apply_reverse(share.owner, share.due);
    applied := applied + share.size;
  end loop;
  return applied;
end $$;
--> statement-breakpoint
-- Runs once in a transaction, however many rows it added.
create function apply_own_reverse() returns trigger language plpgsql as $$
begin
  if current_setting('zonestead.reverse_applied', true) is distinct from pg_current_xact_id()::text then
    perform set_config('zonestead.reverse_applied', pg_current_xact_id()::text, true);
    perform apply_reverse_due(200, false);
  end if;
  return null;
end $$;
--> statement-breakpoint
create constraint trigger reverse_due_applied after insert on reverse_due deferrable initially deferred
  for each row execute function apply_own_reverse();
--> statement-breakpoint
-- The addresses at or below a reverse name, and those whose reverse name is an alias of such a name, of all owners: their place may be
-- another one now. Names are compared from their ends, so that the indexes find those below. The records of an RRset ask once.
create function queue_reverse_below(full_name text, of_zone text, of_record text) returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  top text := reverse(full_name);
  turn text := pg_current_xact_id() || ' ' || full_name;
begin
  if current_setting('zonestead.reverse_below', true) = turn then
    return;
  end if;
  perform set_config('zonestead.reverse_below', turn, true);
  insert into reverse_due (owner, address, zone_id, record_id)
  select distinct b.owner, b.address, of_zone, of_record from (
    select coalesce(z.team_id, z.user_id) as owner, r.rdata as address, reverse(reverse_name(r.rdata)) as place
    from records r join zones z on z.no = r.zone_no
    where (r.health -> 'reverse') is not null and reverse(reverse_name(r.rdata)) collate "C" >= top collate "C"
      and reverse(reverse_name(r.rdata)) collate "C" < (top || '/') collate "C"
    union all
    select coalesce(z.team_id, z.user_id), r.rdata, reverse(rtrim(c.rdata, '.'))
    from records c join zones cz on cz.no = c.zone_no
      join records r on r.rdata = reverse_address(case c.name when '@' then cz.name else c.name || '.' || cz.name end)
        and (r.health -> 'reverse') is not null
      join zones z on z.no = r.zone_no and coalesce(z.team_id, z.user_id) = coalesce(cz.team_id, cz.user_id)
    where c.type = 'CNAME' and is_reverse_name(cz.name) and reverse(rtrim(c.rdata, '.')) collate "C" >= top collate "C"
      and reverse(rtrim(c.rdata, '.')) collate "C" < (top || '/') collate "C") b
  where b.place = top or starts_with(b.place, top || '.');
end $$;
--> statement-breakpoint
create index records_reverse_name_idx on records ((reverse(reverse_name(rdata)) collate "C")) where (health -> 'reverse') is not null;
--> statement-breakpoint
create index records_alias_name_idx on records ((reverse(rtrim(rdata, '.')) collate "C")) where type = 'CNAME';
--> statement-breakpoint
-- A record that wants a PTR, or one of a reverse zone by which PTRs are placed. The service's own writes of PTRs concern nothing.
create function queue_reverse(r records) returns void language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  home record;
  full_name text;
begin
  if current_setting('zonestead.reverse', true) = 'on' then
    return;
  end if;
  select z.id, z.name, coalesce(z.team_id, z.user_id) as owner into home from zones z where z.no = r.zone_no;
  if home.id is null then
    return;
  end if;
  if (r.health -> 'reverse') is not null or r.reverse_of is not null then
    insert into reverse_due (owner, address, zone_id, record_id) values (home.owner, coalesce(r.reverse_of, r.rdata), home.id, r.id);
    return;
  end if;
  if not is_reverse_name(home.name) then
    return;
  end if;
  full_name := case r.name when '@' then home.name else r.name || '.' || home.name end;
  if r.type in ('NS', 'DNAME') then
    perform queue_reverse_below(full_name, home.id, r.id);
    return;
  end if;
  insert into reverse_due (owner, address, zone_id, record_id)
  select home.owner, a.address, home.id, r.id
  from (select reverse_address(full_name) as address
    union select reverse_address(case c.name when '@' then cz.name else c.name || '.' || cz.name end)
      from records c join zones cz on cz.no = c.zone_no
      where r.type = 'PTR' and c.type = 'CNAME' and reverse(rtrim(c.rdata, '.')) collate "C" = reverse(full_name) collate "C") a
  where exists (select from records s join zones z on z.no = s.zone_no where s.rdata = a.address and (s.health -> 'reverse') is not null
    and coalesce(z.team_id, z.user_id) = home.owner);
end $$;
--> statement-breakpoint
create function record_concerns_reverse() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform queue_reverse(old);
  end if;
  if tg_op <> 'DELETE' then
    perform queue_reverse(new);
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger records_reverse_added after insert on records for each row
  when ((new.health -> 'reverse') is not null or new.type in ('PTR', 'CNAME', 'NS', 'DNAME')) execute function record_concerns_reverse();
--> statement-breakpoint
create trigger records_reverse_removed after delete on records for each row
  when ((old.health -> 'reverse') is not null or old.type in ('PTR', 'CNAME', 'NS', 'DNAME')) execute function record_concerns_reverse();
--> statement-breakpoint
create trigger records_reverse_changed after update on records for each row
  when (((old.health -> 'reverse') is not null or (new.health -> 'reverse') is not null or new.type in ('PTR', 'CNAME', 'NS', 'DNAME'))
    and (old.rdata, old.health -> 'reverse', old.withdrawn, old.reverse_scope, old.reverse_of)
      is distinct from (new.rdata, new.health -> 'reverse', new.withdrawn, new.reverse_scope, new.reverse_of))
  execute function record_concerns_reverse();
--> statement-breakpoint
-- A client that changes a PTR of the service takes it over: it is written by hand from then on.
create function take_over_reverse() returns trigger language plpgsql as $$
begin
  new.reverse_of := null;
  return new;
end $$;
--> statement-breakpoint
create trigger records_reverse_taken_over before update on records for each row
  when (old.reverse_of is not null and (old.rdata, old.ttl) is distinct from (new.rdata, new.ttl)) execute function take_over_reverse();
--> statement-breakpoint
-- Before the rows of a zone go, so that they can still be looked up.
create function zone_concerns_reverse() returns trigger language plpgsql as $$
declare
  zone zones := case tg_op when 'DELETE' then old else new end;
begin
  if is_reverse_name(zone.name) then
    perform pg_advisory_xact_lock(hashtext('zonestead reverse zones'));
    perform queue_reverse_below(zone.name, zone.id, null);
  end if;
  if tg_op = 'DELETE' then
    insert into reverse_due (owner, address, zone_id, record_id)
    select distinct coalesce(zone.team_id, zone.user_id), r.rdata, zone.id, r.id from records r
    where r.zone_no = zone.no and (r.health -> 'reverse') is not null;
    return old;
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger zones_reverse_made after insert on zones for each row execute function zone_concerns_reverse();
--> statement-breakpoint
create trigger zones_reverse_going before delete on zones for each row execute function zone_concerns_reverse();
