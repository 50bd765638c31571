// What many judged changes of one zone come to, as rows: each record is deleted, updated or inserted at most once,
// whatever happened to it in between. It must not judge anything.
import { createHash } from 'node:crypto';
import type { ParsedRecord } from '../dns/record.ts';
import { sqlFailure, type Tx } from '../store/database.ts';
import {
  deleteRecords,
  insertRecords,
  type RecordUpdate,
  releaseValues,
  updateRecords,
} from '../store/record-batches.ts';
import type { NewRecord, RecordRow } from '../store/records.ts';
import type { ZoneRow } from '../store/zones.ts';
import type { House } from './change.ts';

/** The identity of a value: SHA-256 of its wire form. */
export function digestOf(wire: Uint8Array): Buffer {
  return createHash('sha256').update(wire).digest();
}

export function newRecordId(house: Pick<House, 'random'>): string {
  return `rec_${house.random(10).toString('hex')}`;
}

export class RecordWrites {
  readonly #inserts = new Map<string, { record: ParsedRecord; managedBy: string | null }>();
  readonly #updates = new Map<string, { stored: RecordRow; record: ParsedRecord; managedBy: string | null }>();
  readonly #deletes = new Set<string>();

  insert(id: string, record: ParsedRecord, managedBy: string | null = null): void {
    this.#inserts.set(id, { record, managedBy });
  }

  /**
   * @param stored the row as it was before all of these writes
   * @param managedBy null leaves it as it is
   */
  update(stored: RecordRow, record: ParsedRecord, managedBy: string | null = null): void {
    this.#updates.set(stored.id, { stored, record, managedBy });
  }

  delete(id: string): void {
    this.#updates.delete(id);
    this.#deletes.add(id);
  }

  /**
   * Deletes first and inserts last: at every moment there is only what was there and stays, or what is there in the end,
   * so that no constraint objects to a state in between.
   * @throws SQLSTATE 23505, 23P01 or 23514 when a constraint objects to the end itself; see constraintOf
   */
  async flush(tx: Tx, zone: Pick<ZoneRow, 'no'>, createdAt: Date): Promise<void> {
    await deleteRecords(tx, [...this.#deletes]);
    const updates = [...this.#updates.values()];
    if (mayExchangeValues(updates)) await releaseValues(tx, [...this.#updates.keys()]);
    await updateRecords(
      tx,
      updates.map(({ stored, record, managedBy }) => updateOf(stored.id, record, managedBy)),
    );
    await insertRecords(
      tx,
      [...this.#inserts].map(([id, { record, managedBy }]) => rowOf(id, zone, record, managedBy, createdAt)),
    );
  }
}

/** The constraint of the records table that a failure names; null for any other failure. */
export function constraintOf(error: unknown): string | null {
  const constraint = sqlFailure(error)?.constraint;
  return constraint?.startsWith('records_') ? constraint : null;
}

/** What is said when a constraint stands where a rule should have. */
export function constraintMessage(constraint: string): string {
  return `content: the database refuses a duplicate or a CNAME beside other data (${constraint}).`;
}

function updateOf(id: string, record: ParsedRecord, managedBy: string | null): RecordUpdate {
  const { content, rdata, wire, ttl, priority } = record;
  return { id, content, rdata, digest: digestOf(wire), ttl, priority, managedBy };
}

function rowOf(
  id: string,
  zone: Pick<ZoneRow, 'no'>,
  record: ParsedRecord,
  managedBy: string | null,
  createdAt: Date,
): NewRecord {
  const { name, ordername, type } = record;
  return { ...updateOf(id, record, managedBy), zoneNo: zone.no, name, ordername, type, createdAt };
}

/** Whether one updated record could get the value that another one gives up: two of one set. */
function mayExchangeValues(updates: readonly { stored: RecordRow }[]): boolean {
  const sets = new Set(updates.map(({ stored }) => `${stored.ordername}\n${stored.type}`));
  return sets.size < updates.length;
}
