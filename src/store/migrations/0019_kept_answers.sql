DROP INDEX "idempotency_created_idx";--> statement-breakpoint
ALTER TABLE "idempotency" ADD COLUMN "id" bigint NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "idempotency_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1);--> statement-breakpoint
CREATE INDEX "idempotency_id_idx" ON "idempotency" USING btree ("id");