// The append-only history: who changed what, and in which serial.
import type { Tx } from './database.ts';
import { changes } from './tables.ts';

export type Action =
  | 'zone.create'
  | 'zone.change'
  | 'zone.delete'
  | 'zone.park'
  | 'zone.unpark'
  | 'record.create'
  | 'record.update'
  | 'record.delete';

export interface Change {
  zoneId: string;
  zoneName: string;
  /** The zone's owner, a team or a person. */
  teamId: string | null;
  userId: string | null;
  keyId: string;
  action: Action;
  before: unknown;
  after: unknown;
  serial: number;
  requestId: string;
}

export async function insertChange(tx: Tx, change: Change): Promise<void> {
  await tx.insert(changes).values(change);
}
