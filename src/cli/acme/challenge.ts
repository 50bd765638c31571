// One challenge value at the REST service. A name can have several values, so this adds and removes one value and leaves the others.
import { randomUUID } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { Client, Zone } from '#client/client.ts';
import { ApiError, ApiUnavailable, isAbsent } from '#client/errors.ts';
import type { Dispatcher } from '#client/pace/dispatcher.ts';
import type { Aliases } from './aliases.ts';
import type { Challenge } from './caller.ts';

export interface ChallengeContext {
  client: Client;
  /** Waits as Retry-After says. */
  pace: Dispatcher;
  aliases: Aliases;
  clock: Clock;
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

/** Adds the value unless it exists already. @returns its zone and name @throws Error with a message for people; ApiError */
export async function present(context: ChallengeContext, challenge: Challenge): Promise<Placed> {
  return follow(context, challenge.name, async (place) => {
    const body = { name: relative(place), type: 'TXT' as const, content: challenge.value, ttl: TTL };
    const idempotencyKey = randomUUID();
    try {
      await write(context, place.zone, (signal) =>
        context.client.records.create(place.zone.id, body, { signal, idempotencyKey }),
      );
      return place;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      if ((await find(context, place, challenge.value)).length > 0) return place;
      // Only a CNAME can conflict with a TXT record. The CA follows it, and so does this code.
      return { refusal: error };
    }
  });
}

/** Deletes this value, and no other, if it exists. @throws Error with a message for people; ApiError */
export async function cleanup(context: ChallengeContext, challenge: Challenge): Promise<void> {
  await follow(context, challenge.name, async (place) => {
    const found = await find(context, place, challenge.value);
    for (const { id } of found) {
      await write(context, place.zone, (signal) => context.client.records.delete(place.zone.id, id, { signal })).catch(
        (error: unknown) => {
          if (!isAbsent(error)) throw error;
        },
      );
    }
    return found.length > 0 ? place : { refusal: null };
  });
}

type Attempt = Placed | { refusal: ApiError | null };

/** Tries the name, then the target of its CNAME, and so on. It queries for a CNAME only after an attempt at the name failed. */
async function follow(
  context: ChallengeContext,
  first: string,
  attempt: (place: Placed) => Promise<Attempt>,
): Promise<Placed> {
  let name = first;
  let refusal: ApiError | null = null;
  let last: Placed | null = null;
  for (let link = 0; link <= MAX_LINKS; link += 1) {
    const zone = await retry(context, () => context.client.zones.find(name, { signal: context.signal }));
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
    client.records.list(place.zone.id, { name: relative(place), type: 'TXT', content }, { signal }),
  );
}

function write<T>(context: ChallengeContext, zone: Zone, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const job = { lane: 'acme' as const, zone: zone.id, signal: context.signal, run };
  return retry(context, () => context.pace.submit(job));
}

/** Retries while the API does not answer. A write has an idempotency key, so it takes effect once. */
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
