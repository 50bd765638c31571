// Sends the sets of one zone, in requests of at most 1,000 sets and at the pace that the service allows.
import type { Logger } from 'pino';
import type { Client } from '#client/client.ts';
import { ApiError } from '#client/errors.ts';
import type { Dispatcher } from '#client/pace/dispatcher.ts';
import { applyRecords } from '#contract/operations/owners.ts';
import { MAX_SETS, type RecordSet } from '#contract/owners.ts';
import type { ZoneName } from './endpoints.ts';
import { releasesFirst } from './plan.ts';

export interface SenderOptions {
  client: Pick<Client, 'call'>;
  pace: Pick<Dispatcher, 'submit'>;
  log: Logger;
}

/**
 * @returns the refused sets, each of which is logged.
 * @throws the client's error; the signal's reason
 */
export type Send = (zone: ZoneName, sets: readonly RecordSet[], signal: AbortSignal) => Promise<RecordSet[]>;

/**
 * The size that is remembered after a refusal is not smaller, because one refused set says nothing about the next
 * request.
 */
const SMALLEST = 10;

export function createSend({ client, pace, log }: SenderOptions): Send {
  /** The most sets that the service accepted at once. */
  let size = MAX_SETS;

  return async (zone, sets, signal) => {
    const refusedSets: RecordSet[] = [];
    let changedCount = 0;
    let most = size;
    const refuse = (set: RecordSet | undefined, { field, error, records }: Refused, message: string) => {
      if (set === undefined) return;
      refusedSets.push(set);
      const { owner, name, type } = set;
      log.error({ zone: zone.zoneName, owner, name, type, field, code: error, records }, message);
    };
    for (let at = 0; at < sets.length; ) {
      const part = takeNames(sets, at, most);
      const body = { sets: releasesFirst(part) };
      const run = (attempt: AbortSignal) =>
        client.call(applyRecords, { params: { id: zone.id }, body }, { signal: attempt });
      try {
        const { results } = await pace.submit({ lane: 'change', zone: zone.id, signal, run });
        for (const [index, result] of results.entries()) {
          if ('error' in result) refuse(body.sets[index], result, result.message);
          else if (result.changed) changedCount += 1;
        }
        at += part.length;
      } catch (error) {
        if (!(error instanceof ApiError) || (error.status !== 400 && error.status !== 413)) throw error;
        if (part.length === 1) {
          refuse(part[0], { error: error.code }, error.message);
          at += 1;
          continue;
        }
        // The request is too large: waiting cannot help, less can.
        most = Math.ceil(part.length / 2);
        size = Math.max(SMALLEST, most);
      }
    }
    if (sets.length > 0)
      log.info(
        { zone: zone.zoneName, sets: sets.length, changed: changedCount, refused: refusedSets.length },
        'applied',
      );
    return refusedSets;
  };
}

interface Refused {
  error: string;
  field?: string | undefined;
  records?: readonly string[] | undefined;
}

/**
 * At most `most` sets, without a cut between the sets of one name if possible: the name would be empty between two
 * requests.
 */
function takeNames(sets: readonly RecordSet[], from: number, most: number): RecordSet[] {
  let end = Math.min(from + most, sets.length);
  while (end < sets.length && end > from && sets[end]?.name === sets[end - 1]?.name) end -= 1;
  return sets.slice(from, end > from ? end : from + most);
}
