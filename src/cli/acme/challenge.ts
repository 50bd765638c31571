// One challenge value at the REST service: added beside those that are there, removed by its value. It must not know who
// asks for it, nor when a CA looks.
import { randomUUID } from 'node:crypto';
import type { Client, Zone } from '../../client/client.ts';
import type { Clock } from '../../client/clock.ts';
import type { Dispatcher } from '../../client/dispatcher.ts';
import { ApiError, ApiUnavailable, isAbsent } from '../../client/errors.ts';
import type { Aliases } from './aliases.ts';
import type { Challenge } from './caller.ts';

export interface Desk {
  client: Client;
  /** Obeys Retry-After. */
  pace: Dispatcher;
  aliases: Aliases;
  clock: Clock;
  /** The limit of everything. */
  signal: AbortSignal;
}

export interface Placed {
  zone: Zone;
  /** Absolute, without final dot: the challenge's name, or where its CNAMEs lead. */
  name: string;
}

const TTL = 60;
const MAX_LINKS = 16;
/** Pauses before an API that does not answer is asked again. */
const AGAIN_MS = [500, 1_000, 2_000, 4_000];

/** Adds the value; that it is there already is fine. @returns where it stands @throws Error for people; ApiError */
export async function present(desk: Desk, challenge: Challenge): Promise<Placed> {
  return follow(desk, challenge.name, async (place) => {
    const body = { name: relative(place), type: 'TXT' as const, content: challenge.value, ttl: TTL };
    const idempotencyKey = randomUUID();
    try {
      await write(desk, place.zone, (signal) =>
        desk.client.records.create(place.zone.id, body, { signal, idempotencyKey }),
      );
      return place;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      if ((await find(desk, place, challenge.value)).length > 0) return place;
      // What else can be in the way of a TXT is a CNAME: the CA follows it, and so do we.
      return { refusal: error };
    }
  });
}

/** Removes that value and no other; that it is gone already is fine. @throws Error for people; ApiError */
export async function cleanup(desk: Desk, challenge: Challenge): Promise<void> {
  await follow(desk, challenge.name, async (place) => {
    const found = await find(desk, place, challenge.value);
    for (const { id } of found) {
      await write(desk, place.zone, (signal) => desk.client.records.delete(place.zone.id, id, { signal })).catch(
        (error: unknown) => {
          if (!isAbsent(error)) throw error;
        },
      );
    }
    return found.length > 0 ? place : { refusal: null };
  });
}

type Attempt = Placed | { refusal: ApiError | null };

/** Tries the name, then what its CNAME says, and so on: only where the name itself did not do is anybody asked for one. */
async function follow(desk: Desk, first: string, attempt: (place: Placed) => Promise<Attempt>): Promise<Placed> {
  let name = first;
  let refusal: ApiError | null = null;
  let last: Placed | null = null;
  for (let link = 0; link <= MAX_LINKS; link += 1) {
    const zone = await retry(desk, () => desk.client.zones.find(name, { signal: desk.signal }));
    if (zone !== null) {
      last = { zone, name };
      const done = await attempt(last);
      if ('zone' in done) return done;
      refusal = done.refusal;
    }
    const target = await desk.aliases.targetOf(name, zone, desk.signal);
    if (target === null) {
      if (refusal !== null) throw refusal;
      if (last !== null) return last;
      throw new Error(
        name === first
          ? `No zone that this key sees encloses ${first}, and there is no CNAME at it.`
          : `${first} leads to ${name}, and no zone that this key sees encloses that.`,
      );
    }
    name = target;
  }
  throw new Error(`The CNAMEs at ${first} lead in a circle, or through more than ${MAX_LINKS} names.`);
}

function find({ client, signal, ...desk }: Desk, place: Placed, content: string) {
  return retry({ ...desk, signal }, () =>
    client.records.list(place.zone.id, { name: relative(place), type: 'TXT', content }, { signal }),
  );
}

function write<T>(desk: Desk, zone: Zone, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const job = { lane: 'acme' as const, zone: zone.id, signal: desk.signal, run };
  return retry(desk, () => desk.pace.submit(job));
}

/** Asks again while nobody answers; a write carries its idempotency key, so it happens once. */
async function retry<T>({ clock, signal }: Pick<Desk, 'clock' | 'signal'>, work: () => Promise<T>): Promise<T> {
  for (const pause of AGAIN_MS) {
    try {
      return await work();
    } catch (error) {
      const passing = error instanceof ApiUnavailable || (error instanceof ApiError && error.status >= 500);
      if (!passing) throw error;
      await wait(clock, pause, signal);
    }
  }
  return work();
}

/** @throws the signal's reason when it aborts */
export function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

function relative({ zone, name }: Placed): string {
  return name === zone.zoneName ? '@' : name.slice(0, -zone.zoneName.length - 1);
}
