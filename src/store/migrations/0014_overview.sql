CREATE TABLE "change_days" (
	"owner" text NOT NULL,
	"day" date NOT NULL,
	"changes" bigint NOT NULL,
	CONSTRAINT "change_days_pkey" PRIMARY KEY("owner","day")
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
ALTER TABLE "clusters" ADD COLUMN "objects" jsonb;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "answers" jsonb;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "applied" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "applied_seconds" double precision DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "node_samples_at_idx" ON "node_samples" USING btree ("at");