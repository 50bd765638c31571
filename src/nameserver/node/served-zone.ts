// Reads one zone from the api to its end, and checks that nothing is missing, before anything is applied.
import type { ZoneLine } from '#contract/feed.ts';
import type { ZoneOrigin } from '#contract/zone-origin.ts';
import type { Denial } from '#dns/dnssec/denial.ts';
import { addToDigest, EMPTY_DIGEST, type ServedSet } from '#dns/served.ts';
import type { EngineKey, ZoneSoa } from '../engine.ts';
import { addTo } from './difference.ts';
import { FeedFault, LargeZone } from './faults.ts';
import type { ServedHead, ZoneId } from './plan.ts';

export interface CollectedZone {
  readonly head: ServedHead;
  readonly soa: ZoneSoa;
  readonly keys: readonly EngineKey[];
  readonly denial: Denial;
  readonly origin: ZoneOrigin;
  readonly names: ReadonlyMap<string, readonly ServedSet[]>;
}

/** A bound on the memory for one zone: about 400 bytes for each RRset. */
const MAX_SETS = 5_000_000;

/**
 * @param limit with more RRsets than this, LargeZone is thrown
 * @throws FeedFault if the answer is incomplete, for another zone, or not what its digest says
 */
export async function collectServedZone(
  lines: AsyncIterable<ZoneLine>,
  wantedZone: ZoneId,
  limit = MAX_SETS,
): Promise<CollectedZone> {
  let first: Extract<ZoneLine, { kind: 'zone' }> | null = null;
  const names = new Map<string, ServedSet[]>();
  let count = 0;
  let digest = EMPTY_DIGEST;
  for await (const line of lines) {
    if (line.kind === 'zone') {
      if (first !== null) throw new FeedFault('the answer contains the zone twice');
      if (line.id !== wantedZone.id || line.name !== wantedZone.name) {
        throw new FeedFault(`the answer is for zone ${line.name} with id ${line.id}`);
      }
      first = line;
      continue;
    }
    if (first === null) throw new FeedFault('the answer does not begin with the zone');
    if (line.kind === 'sets') {
      count += line.sets.length;
      if (count > limit) throw new LargeZone();
      digest = addToDigest(digest, line.sets);
      for (const set of line.sets) addTo(names, set);
      continue;
    }
    if (line.sets !== count) throw new FeedFault(`${line.sets} RRsets were announced, and ${count} came`);
    if (line.digest !== digest) throw new FeedFault('the digest of the zone is wrong');
    const { id, name, version, serial, soa, keys, denial, origin } = first;
    return { head: { id, name, version, serial }, soa, keys, denial, origin, names };
  }
  throw new FeedFault('the answer ended before the end of the zone');
}
