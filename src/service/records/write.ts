// Collects the rows that the accepted changes write. Each record is deleted, updated or inserted at most once, even if several
// changes concern it.
import { createHash } from 'node:crypto';
import type { ParsedRecord } from '#dns/record.ts';
import { sqlFailure } from '#store/database.ts';
import type { InsertedRecord, UpdatedRecord } from '#store/zone-commit.ts';
import type { ServiceContext } from '../context.ts';

/** The digest by which values are compared: SHA-256 of the wire form. */
export function digestOf(wire: Uint8Array): Buffer {
  return createHash('sha256').update(wire).digest();
}

export function newRecordId(context: Pick<ServiceContext, 'random'>, kind: 'rec' | 'set' = 'rec'): string {
  return `${kind}_${context.random(10).toString('hex')}`;
}

/** A record with the comment that it has afterwards. */
export type WrittenRecord = ParsedRecord & { comment: string | null };

export class RecordWrites {
  readonly #inserts = new Map<string, WrittenRecord>();
  readonly #updates = new Map<string, WrittenRecord>();
  readonly #deletes = new Set<string>();

  insert(id: string, record: WrittenRecord): void {
    this.#inserts.set(id, record);
  }

  update(id: string, record: WrittenRecord): void {
    const rows = this.#inserts.has(id) ? this.#inserts : this.#updates;
    rows.set(id, record);
  }

  delete(id: string): void {
    this.#updates.delete(id);
    if (!this.#inserts.delete(id)) this.#deletes.add(id);
  }

  /** @returns a function that makes the rows of this record as they are now */
  snapshot(id: string): () => void {
    const [inserted, updated, isDeleted] = [this.#inserts.get(id), this.#updates.get(id), this.#deletes.has(id)];
    return () => {
      this.#inserts.delete(id);
      this.#updates.delete(id);
      this.#deletes.delete(id);
      if (inserted) this.#inserts.set(id, inserted);
      if (updated) this.#updates.set(id, updated);
      if (isDeleted) this.#deletes.add(id);
    };
  }

  get isEmpty(): boolean {
    return this.#inserts.size + this.#updates.size + this.#deletes.size === 0;
  }

  deleted(): string[] {
    return [...this.#deletes];
  }

  updated(): UpdatedRecord[] {
    return [...this.#updates].map(([id, record]) => ({ id, ...storedForm(record) }));
  }

  inserted(): InsertedRecord[] {
    return [...this.#inserts].map(([id, record]) => {
      const { name, ordername, type } = record;
      return { id, name, ordername, type, ...storedForm(record) };
    });
  }

  /** The ids of updated records if two of them are in one record set: one could get the value that the other one had. */
  exchanging(): string[] {
    const sets = new Set([...this.#updates.values()].map(({ ordername, type }) => `${ordername}\n${type}`));
    return sets.size < this.#updates.size ? [...this.#updates.keys()] : [];
  }
}

function storedForm({ content, rdata, wire, ttl, priority, comment }: WrittenRecord) {
  return { content, rdata, digest: digestOf(wire), ttl, priority, comment };
}

/** The constraint of the records table that the error names; null for any other error. */
export function constraintOf(error: unknown): string | null {
  const constraint = sqlFailure(error)?.constraint;
  return constraint?.startsWith('records_') ? constraint : null;
}
