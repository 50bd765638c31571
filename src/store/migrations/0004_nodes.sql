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
ALTER TABLE "nodes" ADD CONSTRAINT "nodes_key_id_node_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."node_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
-- Each node changes its row every second. With room in its page, Postgres replaces the row there.
ALTER TABLE "nodes" SET (fillfactor = 50);
