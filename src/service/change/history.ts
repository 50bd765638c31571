// The history of a zone's changes: one entry for each record or property that a request changed. The entries of a
// request share one serial.
import { nextSerial } from '#dns/serial.ts';
import type { Action } from '#store/changes.ts';
import type { ZoneRow } from '#store/zones.ts';
import type { Caller } from '../context.ts';

export interface Entry {
  action: Action;
  before: unknown;
  after: unknown;
  /** Absent: the request id of the caller. */
  requestId?: string;
  /** The owner that applied or released the record, if there is one. */
  owner?: string;
  /** True: only a comment changes, so answers and the serial stay as they are. */
  isComment?: boolean;
  /** The ids of the changes that this one undoes, if it does. */
  undoes?: readonly number[];
}

/** Whether a change of the zone needs a new serial. */
export function changesAnswers(entries: readonly Entry[]): boolean {
  return entries.some(({ isComment = false }) => !isComment);
}

/**
 * The serial of the next version of a zone: the time in seconds, or one more than the last one if that is not greater.
 */
export function serialAfter(serial: number, now: Date): number {
  return nextSerial(serial, Math.floor(now.getTime() / 1000));
}

/** The columns that all history rows of a request share. */
export function buildHistoryHead(zone: ZoneRow, caller: Caller) {
  return {
    zoneId: zone.id,
    zoneName: zone.name,
    teamId: zone.teamId,
    userId: zone.userId,
    keyId: caller.actor.keyId,
    requestId: caller.requestId,
  };
}
