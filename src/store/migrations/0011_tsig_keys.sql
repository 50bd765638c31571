CREATE TABLE "tsig_keys" (
	"name" text collate "C" PRIMARY KEY NOT NULL,
	"key_id" text NOT NULL,
	"algorithm" text NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tsig_keys_key_id_key" UNIQUE("key_id"),
	CONSTRAINT "tsig_keys_name" CHECK (length("tsig_keys"."name") between 1 and 253),
	CONSTRAINT "tsig_keys_algorithm" CHECK ("tsig_keys"."algorithm" in ('hmac-md5', 'hmac-sha1', 'hmac-sha224', 'hmac-sha256', 'hmac-sha384', 'hmac-sha512'))
);
--> statement-breakpoint
ALTER TABLE "tsig_keys" ADD CONSTRAINT "tsig_keys_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;