// The next step of a move, in the order that keeps a zone valid for validating resolvers (RFC 6781 section 4.3.5.2).
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type DelegationSets, planMove } from '#diagnosis/move.ts';
import { rdataHex } from '#dns/dnssec/delegation.ts';

const digest = createHash('sha256').update('ours').digest('hex');
const record = `moved.example. DS 1 13 2 ${digest}`;
const zone = {
  zoneName: 'moved.example',
  nameservers: ['ns1.zonestead.test', 'ns2.zonestead.test'],
  ds: [{ keyTag: 1, algorithm: 13, digestType: 2, digest, record }],
};
const OURS = rdataHex('NS', ['ns1.zonestead.test.', 'ns2.zonestead.test.']);
const OTHERS = rdataHex('NS', ['ns1.old.example.']);
const OUR_DS = rdataHex('DS', [`1 13 2 ${digest}`]);
const OTHER_DS = rdataHex('DS', [`2 13 2 ${'ab'.repeat(32)}`]);

const at = (ns: string[], ds: string[], ttl = 900): DelegationSets => ({
  ns: { values: ns, ttl },
  ds: { values: ds, ttl },
});
const step = (parent: DelegationSets, cached: DelegationSets | null) =>
  planMove(zone, { name: 'example', ...parent }, cached);

test.each<[string, DelegationSets, DelegationSets | null, string, RegExp]>([
  [
    'a signed zone elsewhere',
    at(OTHERS, OTHER_DS),
    at(OTHERS, OTHER_DS),
    'remove-ds',
    /keep the NS records.*up to 900 s/,
  ],
  ['our DS too early', at(OTHERS, OUR_DS), null, 'remove-ds', /Remove the DS record at/],
  ['a DS in caches', at(OTHERS, []), at(OTHERS, OTHER_DS, 77), 'wait', /Wait 77 s .*DS record/],
  [
    'no DS anywhere',
    at(OTHERS, []),
    at(OTHERS, []),
    'change-ns',
    /NS ns1\.zonestead\.test\., .*NS ns2\.zonestead\.test\./,
  ],
  ['no resolver', at(OTHERS, []), null, 'change-ns', /wait first until the TTL of the old DS records/],
  ['no delegation yet', at([], []), at([], []), 'change-ns', /^Add these records/],
  ['one name server of each', at([...OURS, ...OTHERS], []), at(OTHERS, []), 'change-ns', /^Replace/],
  [
    'one of our name servers',
    at(OURS.slice(0, 1), []),
    at([], []),
    'change-ns',
    /^Add the missing .*ns2\.zonestead\.test\.$/,
  ],
  [
    'one of our name servers and our DS',
    at(OURS.slice(1), OUR_DS),
    null,
    'change-ns',
    /^Add the missing .*ns1\.zonestead/,
  ],
  ['old NS in caches', at(OURS, []), at(OTHERS, [], 55), 'wait', /Wait 55 s .*NS records/],
  ['our NS everywhere', at(OURS, []), at(OURS, []), 'add-ds', /DS 1 13 2/],
  ['a DS of the other key', at(OURS, OTHER_DS), null, 'remove-ds', /now: validating resolvers reject/],
  ['both DS', at(OURS, [...OUR_DS, ...OTHER_DS]), null, 'remove-ds', /keep ours/],
  ['our DS', at(OURS, OUR_DS), null, 'done', /is delegated to this service/],
])('the next step has its sentence with %s', (_, parent, cached, wanted, said) => {
  const found = step(parent, cached);
  expect([found.step, found.text]).toEqual([wanted, expect.stringMatching(said)]);
});

/** A zone is bogus if a resolver can meet a DS without the key of the answers that it gets. */
test('the order of steps never makes a resolver meet our answers with a DS of the other key, with any old records in caches', () => {
  let parent = at(OTHERS, OTHER_DS);
  // The caches of the slowest resolver, which follows the parent at each wait.
  let cached = parent;
  const steps: string[] = [];
  for (let round = 0; round < 10 && steps.at(-1) !== 'done'; round += 1) {
    const { step: next } = step(parent, cached);
    steps.push(next);
    if (next === 'remove-ds') parent = { ...parent, ds: { values: [], ttl: 900 } };
    if (next === 'change-ns') parent = { ...parent, ns: { values: OURS, ttl: 900 } };
    if (next === 'add-ds') parent = { ...parent, ds: { values: OUR_DS, ttl: 900 } };
    if (next === 'wait') cached = parent;
    for (const ns of [parent.ns, cached.ns]) {
      for (const ds of [parent.ds, cached.ds]) {
        const isSigned = ns.values === OURS ? OUR_DS : OTHER_DS;
        expect(ds.values.length === 0 || ds.values.some((each) => isSigned.includes(each))).toBe(true);
      }
    }
  }
  expect(steps).toEqual(['remove-ds', 'wait', 'change-ns', 'wait', 'add-ds', 'done']);
});
