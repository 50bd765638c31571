-- The constraints are not valid for old rows, which have no comment: so no table is read while it is locked.
ALTER TABLE "owned_sets" ADD COLUMN "comment" text;--> statement-breakpoint
ALTER TABLE "records" ADD COLUMN "comment" text;--> statement-breakpoint
ALTER TABLE "zones" ADD COLUMN "comment" text;--> statement-breakpoint
ALTER TABLE "owned_sets" ADD CONSTRAINT "owned_sets_comment" CHECK (length("owned_sets"."comment") between 1 and 500) NOT VALID;--> statement-breakpoint
ALTER TABLE "records" ADD CONSTRAINT "records_comment" CHECK (length("records"."comment") between 1 and 500) NOT VALID;--> statement-breakpoint
ALTER TABLE "zones" ADD CONSTRAINT "zones_comment" CHECK (length("zones"."comment") between 1 and 500) NOT VALID;