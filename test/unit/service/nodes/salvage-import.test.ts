// The records of a zone that comes back from the RRsets of a name server.
import { expect, test } from 'vitest';
import { addToDigest, EMPTY_DIGEST, type ServedSet } from '#dns/served.ts';
import { readSalvagedRecords } from '#service/nodes/salvage-import.ts';

test('each salvaged record has the TTL of its own RRset, not that of the record before it', async () => {
  const sets: ServedSet[] = [
    { name: '@', type: 'NS', ttl: 3_600, rdata: ['ns1.zonestead.test.'] },
    { name: 'a', type: 'A', ttl: 300, rdata: ['192.0.2.1'] },
    { name: 'b', type: 'A', ttl: 60, rdata: ['192.0.2.2', '192.0.2.3'] },
    { name: 'c', type: 'A', ttl: 300, rdata: ['192.0.2.4'] },
  ];
  const end = { sets: sets.length, digest: addToDigest(EMPTY_DIGEST, sets) };
  const read = async (isSealed: boolean) => {
    const zone = { name: 'example.org', defaultTtl: 300, isSealed, end };
    return (await readSalvagedRecords(zone, [sets], [])).map(({ name, ttl }) => [name, ttl]);
  };
  // Null: the default of the zone.
  expect(await read(true)).toEqual([
    ['a', null],
    ['b', 60],
    ['b', 60],
    ['c', null],
  ]);
  // The default of a zone that is not sealed is a guess, and its owner may set another one.
  expect(await read(false)).toEqual([
    ['a', 300],
    ['b', 60],
    ['b', 60],
    ['c', 300],
  ]);
});
