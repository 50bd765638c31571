CREATE TABLE "secondary_offers" (
	"secondary" text collate "C" NOT NULL,
	"team_id" text NOT NULL,
	"namespace" text collate "C" DEFAULT '' NOT NULL,
	CONSTRAINT "secondary_offers_pkey" PRIMARY KEY("secondary","team_id","namespace"),
	CONSTRAINT "secondary_offers_namespace" CHECK (length("secondary_offers"."namespace") <= 63)
);
--> statement-breakpoint
ALTER TABLE "zone_secondaries" ADD COLUMN "by_administrator" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "zone_secondaries" ADD COLUMN "by_owner" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "zone_secondaries" ADD COLUMN "listed_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "secondaries" ADD COLUMN "offered_to_all" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "secondary_reports" ADD COLUMN "position" "pg_snapshot";--> statement-breakpoint
ALTER TABLE "secondary_offers" ADD CONSTRAINT "secondary_offers_secondary_secondaries_name_fk" FOREIGN KEY ("secondary") REFERENCES "public"."secondaries"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "secondary_offers" ADD CONSTRAINT "secondary_offers_team_id_teams_id_fk" FOREIGN KEY ("team_id") REFERENCES "public"."teams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "secondary_offers_team_idx" ON "secondary_offers" USING btree ("team_id");