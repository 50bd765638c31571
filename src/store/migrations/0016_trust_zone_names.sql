CREATE TABLE "trust_zone_names" (
	"trust_id" text NOT NULL,
	"zone_name" text collate "C" NOT NULL,
	"records" text NOT NULL,
	CONSTRAINT "trust_zone_names_pkey" PRIMARY KEY("trust_id","zone_name"),
	CONSTRAINT "trust_zone_names_level" CHECK ("trust_zone_names"."records" in ('none', 'read', 'write'))
);
--> statement-breakpoint
ALTER TABLE "trust_zone_names" ADD CONSTRAINT "trust_zone_names_trust_id_trusts_id_fk" FOREIGN KEY ("trust_id") REFERENCES "public"."trusts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "trust_zone_names_name_idx" ON "trust_zone_names" USING btree ("zone_name");