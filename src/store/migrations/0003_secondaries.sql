CREATE TABLE "zone_secondaries" (
	"zone_id" text NOT NULL,
	"secondary" text collate "C" NOT NULL,
	CONSTRAINT "zone_secondaries_pkey" PRIMARY KEY("zone_id","secondary")
);
--> statement-breakpoint
CREATE TABLE "secondaries" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"addresses" jsonb NOT NULL,
	"transfers_from" text[] NOT NULL,
	"tsig_name" text NOT NULL,
	"tsig_algorithm" text NOT NULL,
	"tsig_secret" text NOT NULL,
	"nameservers" text[] NOT NULL,
	"all_zones" boolean NOT NULL,
	"catalog" boolean NOT NULL,
	"notify" boolean NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "secondaries_tsig_name_key" UNIQUE("tsig_name"),
	CONSTRAINT "secondaries_name" CHECK (length("secondaries"."name") between 1 and 32)
);
--> statement-breakpoint
CREATE TABLE "secondary_reports" (
	"secondary" text collate "C" PRIMARY KEY NOT NULL,
	"node" text collate "C" NOT NULL,
	"zones" integer NOT NULL,
	"current" integer NOT NULL,
	"silent" text,
	"behind" jsonb NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "transfer_plan" (
	"one" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"version" bigint DEFAULT 1 NOT NULL,
	"source" text collate "C",
	"generation" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "transfer_plan_one_row" CHECK ("transfer_plan"."one" = 1)
);
--> statement-breakpoint
CREATE TABLE "transfer_slots" (
	"node" text collate "C" PRIMARY KEY NOT NULL,
	"slot" integer NOT NULL,
	CONSTRAINT "transfer_slots_slot_key" UNIQUE("slot"),
	CONSTRAINT "transfer_slots_slot" CHECK ("transfer_slots"."slot" between 0 and 3)
);
--> statement-breakpoint
ALTER TABLE "service" ADD COLUMN "secondary_nameservers" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "zones" ADD COLUMN "secondary_nameservers" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "zone_secondaries" ADD CONSTRAINT "zone_secondaries_zone_id_zones_id_fk" FOREIGN KEY ("zone_id") REFERENCES "public"."zones"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "zone_secondaries" ADD CONSTRAINT "zone_secondaries_secondary_secondaries_name_fk" FOREIGN KEY ("secondary") REFERENCES "public"."secondaries"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "secondary_reports" ADD CONSTRAINT "secondary_reports_secondary_secondaries_name_fk" FOREIGN KEY ("secondary") REFERENCES "public"."secondaries"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "zone_secondaries_secondary_idx" ON "zone_secondaries" USING btree ("secondary");--> statement-breakpoint
insert into transfer_plan default values;
--> statement-breakpoint
-- The names that secondaries add are part of every zone, like the service's own.
drop trigger service_change_announced on service;
--> statement-breakpoint
create trigger service_change_announced before update on service
  for each row when ((old.nameservers, old.hostmaster, old.secondary_nameservers)
    is distinct from (new.nameservers, new.hostmaster, new.secondary_nameservers))
  execute function announce_service();
