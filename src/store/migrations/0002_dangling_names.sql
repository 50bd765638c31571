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
CREATE INDEX "record_targets_due_idx" ON "record_targets" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "record_targets_owner_idx" ON "record_targets" USING btree ("owner","due_at");--> statement-breakpoint
CREATE INDEX "record_targets_absent_idx" ON "record_targets" USING btree ("owner","target") WHERE "record_targets"."absences" > 0;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "records_target_idx" ON "records" USING btree ((substring("rdata" from '[^ ]+$')) collate "C","zone_no") WHERE "records"."type" in ('ALIAS', 'CNAME', 'MX', 'NS', 'SRV');
