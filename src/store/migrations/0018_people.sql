-- A second account at a provider was attached to a person by its address. The first one is the person's.
DELETE FROM "identities" later USING "identities" first
  WHERE later."issuer" = first."issuer" AND later."user_id" = first."user_id"
  AND (later."created_at", later."subject") > (first."created_at", first."subject");--> statement-breakpoint
CREATE TABLE "person_windows" (
	"user_id" text NOT NULL,
	"bucket" text NOT NULL,
	"times" timestamptz[] NOT NULL,
	CONSTRAINT "person_windows_pkey" PRIMARY KEY("user_id","bucket")
);
--> statement-breakpoint
CREATE TABLE "used_sign_ins" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"used_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "suspended_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "removed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "person_windows" ADD CONSTRAINT "person_windows_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "used_sign_ins_used_idx" ON "used_sign_ins" USING btree ("used_at");--> statement-breakpoint
CREATE UNIQUE INDEX "identities_issuer_user_key" ON "identities" USING btree ("issuer","user_id");