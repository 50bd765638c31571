ALTER TABLE "clusters" ADD COLUMN "instance" text collate "C";--> statement-breakpoint
ALTER TABLE "clusters" ADD CONSTRAINT "clusters_instance" CHECK (length("clusters"."instance") between 1 and 64);