-- The constraints are not valid for old rows, which have the default: so the tables are not read while they are locked.
ALTER TABLE "api_keys" ADD COLUMN "clusters" text DEFAULT 'none' NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "rights_changed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "trusts" ADD COLUMN "clusters" text DEFAULT 'none' NOT NULL;--> statement-breakpoint
ALTER TABLE "trusts" ADD COLUMN "rights_changed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "clusters" ADD COLUMN "held_by" text collate "C";--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_clusters_right" CHECK ("api_keys"."clusters" in ('none', 'write')) NOT VALID;--> statement-breakpoint
ALTER TABLE "trusts" ADD CONSTRAINT "trusts_clusters_right" CHECK ("trusts"."clusters" in ('none', 'write')) NOT VALID;