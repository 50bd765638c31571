// Sends a plan to the service. Up to 1,000 changes are one transaction, and so is the import of any size into an empty
// zone.
import { ApiError } from '#client/errors.ts';
import { MAX_CHANGES, type RecordChange } from '#contract/batch.ts';
import { applyBatch } from '#contract/operations/records.ts';
import { importZoneFile } from '#contract/operations/zone-files.ts';
import { writeRecords } from '#dns/zonefile/write.ts';
import type { Session } from '../rest/session.ts';
import { type Pace, sendInTurn } from './pace.ts';
import { type ImportPlan, toRecordChanges } from './plan.ts';

/** Planning and storing a large file takes longer than other calls, in ms. */
const FILE_LIMIT_MS = 120_000;
/** Octets of changes in one request: the service reads a body of 1 MiB. */
const MAX_BODY = 1_000_000;

interface Target {
  id: string;
  zone: string;
  /** Whether the zone has no records yet. */
  isEmpty: boolean;
  /** The ETag of the records that the plan was made for. */
  etag?: string | undefined;
}

/**
 * @returns the number of changes
 * @throws Error of the client; its message names the record that was refused, and the number of changes that were made
 * before it
 */
export async function applyPlan(session: Session & Pace, target: Target, plan: ImportPlan): Promise<number> {
  const { client, signal, warn } = session;
  const requests = splitRequests(toRecordChanges(plan));
  if (isFile(requests, target)) {
    const { id, zone, etag } = target;
    const text = `$ORIGIN ${zone}.\n${writeRecords(plan.create.map(({ record }) => record))}`;
    const done = () => `${zone}: ${plan.create.length} records are sent as one change`;
    // The file replaces all records, so the zone must still be empty.
    const options = { signal, timeoutMs: FILE_LIMIT_MS, ifMatch: etag };
    const { created } = await sendInTurn(session, done, () =>
      client.call(importZoneFile, { params: { id }, body: text }, options),
    );
    return created;
  }
  const found = [...plan.create, ...plan.update.map((update) => update.found)];
  let made = 0;
  const done = () => `${target.zone}: ${made} of ${found.length} changes are made`;
  for (const changes of requests) {
    try {
      await sendInTurn(session, done, () =>
        client.call(applyBatch, { params: { id: target.id }, body: { changes } }, { signal }),
      );
    } catch (error) {
      if (signal.aborted && made > 0) warn(`${done()}; the same command continues`);
      throw withPlace(error, (index) => found[made + index]?.place, made);
    }
    made += changes.length;
    if (requests.length > 1) warn(done());
  }
  return made;
}

/** The changes of each request that `applyPlan` sends. */
export function requestSizes(target: Pick<Target, 'isEmpty'>, plan: ImportPlan): number[] {
  const requests = splitRequests(toRecordChanges(plan));
  return isFile(requests, target) ? [plan.create.length] : requests.map(({ length }) => length);
}

function isFile(requests: readonly RecordChange[][], { isEmpty }: Pick<Target, 'isEmpty'>): boolean {
  return requests.length > 1 && isEmpty;
}

/** The changes in as few requests as possible. */
function splitRequests(changes: readonly RecordChange[]): RecordChange[][] {
  const requests: RecordChange[][] = [];
  let octets = Number.POSITIVE_INFINITY;
  for (const change of changes) {
    const size = Buffer.byteLength(JSON.stringify(change));
    const last = requests.at(-1);
    if (last === undefined || last.length === MAX_CHANGES || octets + size > MAX_BODY) {
      requests.push([change]);
      octets = size;
    } else {
      last.push(change);
      octets += size;
    }
  }
  return requests;
}

/** The error of a batch names a change by its index. */
function withPlace(error: unknown, placeOf: (index: number) => string | undefined, made: number): unknown {
  if (!(error instanceof ApiError)) return error;
  const [, index] = /^changes\.([0-9]+)/.exec(error.field ?? '') ?? [];
  const place = index === undefined ? undefined : placeOf(Number(index));
  const before = made === 0 ? '' : ` The ${made} changes before it are made; run the command again for the rest.`;
  if (place === undefined && before === '') return error;
  return new Error(`${place === undefined ? '' : `${place}: `}${error.message}${before}`, { cause: error });
}
