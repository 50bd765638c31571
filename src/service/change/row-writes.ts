// Collects the rows that the accepted changes write. Each record is deleted, updated or inserted at most once, even if
// several changes concern it.
import { createHash } from 'node:crypto';
import type { ParsedRecord } from '#dns/record.ts';
import type { ReverseScope } from '#dns/reverse.ts';
import { sqlFailure } from '#store/database.ts';
import type { RecordRow } from '#store/records.ts';
import type { InsertedRecord, UpdatedRecord } from '#store/zone-commit.ts';
import type { ServiceContext } from '../context.ts';
import { type Refusal, refusal } from '../refusal.ts';

/** The digest by which values are compared: SHA-256 of the wire form. */
export function digestOf(wire: Uint8Array): Buffer {
  return createHash('sha256').update(wire).digest();
}

/** The same digest in base64, for rows that are sent as JSON. */
export function digestText(wire: Uint8Array): string {
  return digestOf(wire).toString('base64');
}

export function newRecordId(context: Pick<ServiceContext, 'random'>, kind: 'rec' | 'set' = 'rec'): string {
  return `${kind}_${context.random(10).toString('hex')}`;
}

/** A record with the comment and the health that it has afterwards, and where its PTR may be written. */
export type WrittenRecord = ParsedRecord &
  Pick<RecordRow, 'comment' | 'health'> & { reverseScope: ReverseScope | null };

export class RowWrites {
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
    const [insertedRecord, updatedRecord, isDeleted] = [
      this.#inserts.get(id),
      this.#updates.get(id),
      this.#deletes.has(id),
    ];
    return () => {
      this.#inserts.delete(id);
      this.#updates.delete(id);
      this.#deletes.delete(id);
      if (insertedRecord) this.#inserts.set(id, insertedRecord);
      if (updatedRecord) this.#updates.set(id, updatedRecord);
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

  exchanging(): string[] {
    return idsInSharedSets([...this.#updates].map(([id, { ordername, type }]) => ({ id, ordername, type })));
  }
}

/**
 * The ids of updated records that share a record set with another one: each could get the value that the other one had,
 * which a constraint forbids for a moment.
 */
export function idsInSharedSets(updates: readonly { id: string; ordername: string; type: string }[]): string[] {
  const sets = new Map<string, string[]>();
  for (const { id, ordername, type } of updates) {
    const key = `${ordername}\n${type}`;
    const ids = sets.get(key);
    if (ids) ids.push(id);
    else sets.set(key, [id]);
  }
  return [...sets.values()].filter((ids) => ids.length > 1).flat();
}

function storedForm({ content, rdata, wire, ttl, priority, comment, health, reverseScope }: WrittenRecord) {
  return { content, rdata, digest: digestOf(wire), ttl, priority, comment, health, reverseScope };
}

/** A record names a check that the team or person of its zone does not have. */
const CHECK_EXISTS = 'records_check_exists';

/** The constraint of the records table that the error names; null for any other error. */
export function findConstraint(error: unknown): string | null {
  const constraint = sqlFailure(error)?.constraint;
  return constraint?.startsWith('records_') ? constraint : null;
}

/** The refusal of a change that a constraint of the records table rejected; null for any other error. */
export function constraintRefusal(error: unknown): Refusal | null {
  const constraint = findConstraint(error);
  if (constraint === CHECK_EXISTS) return refusal('no-such-check', {}, { field: 'check' });
  return constraint === null ? null : refusal('database-constraint', { constraint });
}
