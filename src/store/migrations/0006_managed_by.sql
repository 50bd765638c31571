CREATE TABLE "zone_uploads" (
	"zone_id" text NOT NULL,
	"key_id" text NOT NULL,
	"content" text NOT NULL,
	"serial" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "zone_uploads_pkey" PRIMARY KEY("zone_id","key_id")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_used_by" text;--> statement-breakpoint
ALTER TABLE "records" ADD COLUMN "managed_by" text;--> statement-breakpoint
ALTER TABLE "zones" ADD COLUMN "managed_by" text;--> statement-breakpoint
ALTER TABLE "zone_uploads" ADD CONSTRAINT "zone_uploads_zone_id_zones_id_fk" FOREIGN KEY ("zone_id") REFERENCES "public"."zones"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zone_uploads" ADD CONSTRAINT "zone_uploads_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "zone_uploads_created_idx" ON "zone_uploads" USING btree ("created_at");--> statement-breakpoint
ALTER TABLE "records" ADD CONSTRAINT "records_managed_by" CHECK (length("records"."managed_by") between 1 and 400);--> statement-breakpoint
ALTER TABLE "zones" ADD CONSTRAINT "zones_managed_by" CHECK (length("zones"."managed_by") between 1 and 400);