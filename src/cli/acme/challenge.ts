// One challenge value at the REST service: a set of records:apply with an owner of its own, which leaves other values
// at the name alone. A request that is sent twice has the effect of one.
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { Client } from '#client/client.ts';
import { ApiError, ApiUnavailable } from '#client/errors.ts';
import { fetchEnclosingZone, fetchRecords } from '#client/lists.ts';
import type { Dispatcher } from '#client/pace/dispatcher.ts';
import { applyRecords } from '#contract/operations/owners.ts';
import type { RecordSet } from '#contract/owners.ts';
import type { Zone } from '#contract/zone.ts';
import type { ChallengeAliases } from './aliases.ts';
import type { CallerChallenge } from './caller.ts';
import { ACME_LEASE_MS, buildHookOwner } from './owner.ts';

export interface ChallengeContext {
  client: Client;
  /** Waits as Retry-After says. */
  pace: Dispatcher;
  aliases: ChallengeAliases;
  clock: Clock;
  /** The time of day, for the end of the lease. */
  now(): Date;
  /** The name of this machine. */
  host: string;
  /** Aborts at the time limit of the whole call. */
  signal: AbortSignal;
}

export interface Placed {
  zone: Zone;
  /** Absolute, without final dot: the name of the challenge, or the target of its CNAMEs. */
  name: string;
}

const TTL = 60;
const MAX_LINKS = 16;
/** The delays before retries while the API does not answer, in ms. */
const AGAIN_MS = [500, 1_000, 2_000, 4_000];

/**
 * Adds the value for an hour, or renews it.
 * @returns its zone and name
 * @throws Error with a message for people; ApiError
 */
export async function presentChallenge(context: ChallengeContext, challenge: CallerChallenge): Promise<Placed> {
  return follow(context, challenge.name, async (place) => {
    const expires = new Date(context.now().getTime() + ACME_LEASE_MS).toISOString();
    const values = [{ content: challenge.value }];
    try {
      await apply(context, place, challenge, { ttl: TTL, values, share: true, expires });
      return place;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      if ((await find(context, place, challenge.value)).length > 0) return place;
      // Only a CNAME can conflict with a value that does not exist. The CA follows it, and so does this code.
      return { refusal: error };
    }
  });
}

/**
 * Releases this value, and no other, if this machine has added it. It stays if others own it too.
 * @throws Error with a message for people; ApiError
 */
export async function cleanup(context: ChallengeContext, challenge: CallerChallenge): Promise<void> {
  await follow(context, challenge.name, async (place) => {
    const hasChanged = await apply(context, place, challenge, { values: [] });
    return hasChanged ? place : { refusal: null };
  });
}

/**
 * @returns whether a record in DNS changed
 * @throws ApiError of the set
 */
async function apply(
  context: ChallengeContext,
  place: Placed,
  { value }: CallerChallenge,
  set: Pick<RecordSet, 'ttl' | 'values' | 'share' | 'expires'>,
): Promise<boolean> {
  const sets = [{ owner: buildHookOwner(context.host, value), name: relative(place), type: 'TXT' as const, ...set }];
  const { results } = await write(context, place.zone, (signal) =>
    context.client.call(applyRecords, { params: { id: place.zone.id }, body: { sets } }, { signal }),
  );
  const [result] = results;
  if (result === undefined) throw new ApiUnavailable('The answer of the API lacks the result of the value');
  if (!('error' in result)) return result.changed;
  if (result.field === 'expires')
    throw new Error(`The clock of this machine is wrong. The service answers: ${result.message}`);
  const { status, error: code, message, records = [] } = result;
  throw new ApiError({ status, code, message, records, retryAfterMs: null, requestId: null });
}

type Attempt = Placed | { refusal: ApiError | null };

/**
 * Tries the name, then the target of its CNAME, and so on. It queries for a CNAME only after an attempt at the name
 * failed.
 */
async function follow(
  context: ChallengeContext,
  first: string,
  attempt: (place: Placed) => Promise<Attempt>,
): Promise<Placed> {
  let name = first;
  let refusal: ApiError | null = null;
  let last: Placed | null = null;
  for (let link = 0; link <= MAX_LINKS; link += 1) {
    const zone = await retry(context, () => fetchEnclosingZone(context.client, name, { signal: context.signal }));
    if (zone !== null) {
      last = { zone, name };
      const done = await attempt(last);
      if ('zone' in done) return done;
      refusal = done.refusal;
    }
    const target = await context.aliases.targetOf(name, zone, context.signal);
    if (target === null) {
      if (refusal !== null) throw refusal;
      if (last !== null) return last;
      throw new Error(
        name === first
          ? `No zone that this API key can see contains ${first}, and there is no CNAME at that name.`
          : `The CNAME at ${first} leads to ${name}, and no zone that this API key can see contains that name.`,
      );
    }
    name = target;
  }
  throw new Error(`The CNAMEs at ${first} form a loop, or a chain of more than ${MAX_LINKS} names.`);
}

function find({ client, signal, ...context }: ChallengeContext, place: Placed, content: string) {
  return retry({ ...context, signal }, () =>
    fetchRecords(client, place.zone.id, { name: relative(place), type: 'TXT', content }, { signal }),
  );
}

function write<T>(context: ChallengeContext, zone: Zone, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const job = { lane: 'acme' as const, zone: zone.id, signal: context.signal, run };
  return retry(context, () => context.pace.submit(job));
}

/** Retries while the API does not answer. */
async function retry<T>(
  { clock, signal }: Pick<ChallengeContext, 'clock' | 'signal'>,
  work: () => Promise<T>,
): Promise<T> {
  for (const pause of AGAIN_MS) {
    try {
      return await work();
    } catch (error) {
      const passing = error instanceof ApiUnavailable || (error instanceof ApiError && error.status >= 500);
      if (!passing) throw error;
      await sleep(clock, pause, signal);
    }
  }
  return work();
}

function relative({ zone, name }: Placed): string {
  return name === zone.zoneName ? '@' : name.slice(0, -zone.zoneName.length - 1);
}
