-- Every version that this one follows writes both for each new zone. The scan is short: a table of zones is small.
ALTER TABLE "zones" ALTER COLUMN "record_count" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "zones" ALTER COLUMN "record_count" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "zones" ALTER COLUMN "stored_bytes" SET DEFAULT 0;--> statement-breakpoint
ALTER TABLE "zones" ALTER COLUMN "stored_bytes" SET NOT NULL;