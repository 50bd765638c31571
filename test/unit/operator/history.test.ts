// Random histories: users create, edit and delete objects that compete for the same few values, another client changes
// the service, and the operator dies or loses responses at random calls. When all of that ends, every existing value
// has one owner.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiUnavailable } from '#client/errors.ts';
import { KubeError } from '#kube/api/errors.ts';
import { keyOf } from '#kube/objects/resource.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';
import { Crash } from '../../support/operator/faults.ts';
import { effort } from '../../support/runner/seed.ts';

const NAMES = ['one', 'two', 'three'] as const;
/** Two spellings of one name, so that all objects compete. */
const OWNER_NAMES = { one: 'www', two: 'WWW', three: 'www' } as const;

const object = fc.constantFrom(...NAMES);
const octets = fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 });
const fault = fc.record({
  at: fc.integer({ min: 1, max: 14 }),
  when: fc.constantFrom('before' as const, 'after' as const),
  fatal: fc.boolean(),
});

const step = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), object, octets, adopt: fc.boolean() }),
  fc.record({ kind: fc.constant('edit' as const), object, octets, ttl: fc.option(fc.constantFrom(60, 90)) }),
  fc.record({ kind: fc.constant('delete' as const), object }),
  fc.record({
    kind: fc.constant('meddle' as const),
    which: fc.nat(),
    octet: fc.option(fc.integer({ min: 1, max: 5 })),
  }),
  fc.record({ kind: fc.constant('zone' as const), parked: fc.boolean(), defaultTtl: fc.constantFrom(300, 600) }),
);
const history = fc.array(
  fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 3 }), fault: fc.option(fault), together: fc.boolean() }),
  { minLength: 1, maxLength: 6 },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Fault = typeof fault extends fc.Arbitrary<infer T> ? T : never;

function take(on: Bench, { ...next }: Step): void {
  const key = 'object' in next ? `default/${next.object}` : '';
  const values = 'octets' in next ? next.octets.map((octet) => ({ content: `192.0.2.${octet}` })) : [];
  const there = on.cluster.record(key);
  if (next.kind === 'create' && !there) {
    const spec = { zoneRef: { name: 'example' }, name: OWNER_NAMES[next.object], type: 'A', values };
    on.cluster.create(DNS_RECORD, { name: next.object }, { ...spec, adopt: next.adopt ? 'IfIdentical' : 'Never' });
  }
  if (next.kind === 'edit' && there) on.cluster.edit(DNS_RECORD, key, { values, ttl: next.ttl ?? undefined });
  if (next.kind === 'delete' && there) on.cluster.remove(DNS_RECORD, key);
  if (next.kind === 'zone') on.cluster.edit(DNS_ZONE, 'default/example', { ...next, kind: undefined });
  if (next.kind === 'meddle') meddle(on, next.which, next.octet);
}

/** Deletes some value at the service, or gives it other content that no object has. */
function meddle(on: Bench, which: number, octet: number | null): void {
  const [id, stored] = [...on.service.zones].at(0) ?? [];
  const all = [...(stored?.records.values() ?? [])];
  const record = all[which % Math.max(1, all.length)];
  if (id === undefined || !record) return;
  const content = `192.0.2.${octet}`;
  if (octet === null) on.service.tamper(id, record.id, null);
  else if (!all.some((other) => other.content === content)) on.service.tamper(id, record.id, { content });
}

async function live(on: Bench, { at, when, fatal }: Fault, together: boolean): Promise<void> {
  on.faults.arm({
    at,
    when,
    act: (side) => {
      if (fatal) on.faults.crash();
      if (side === 'api') throw new ApiUnavailable('no answer');
      throw new KubeError({ status: 0, reason: 'Unreachable', message: 'no answer' });
    },
  });
  try {
    await on.round(together);
    on.faults.arm(null);
  } catch (error) {
    if (!(error instanceof Crash)) throw error;
    on.restart();
  }
}

/** The invariants, for any winner. */
function judge(on: Bench): string[] {
  const problems: string[] = [];
  const owner = new Map<string, string>();
  const [stored] = on.service.zones.values();
  for (const record of on.cluster.records()) {
    const { name } = record.metadata;
    const wanted = (record.spec.values ?? []).map(({ content }) => content).sort();
    const held: string[] = [];
    for (const id of on.idsOf(keyOf(record))) {
      const found = stored?.records.get(id);
      if (!found) problems.push(`${name} owns ${id}, which is not there`);
      else held.push(found.content);
      if (owner.has(id)) problems.push(`${id} is owned by ${owner.get(id)} and ${name}`);
      owner.set(id, name);
    }
    const state = on.ready(record);
    const lacks = wanted.filter((content) => !held.includes(content));
    const complete = JSON.stringify(held.sort()) === JSON.stringify(wanted);
    if (/^(True Ready|False ZoneParked)$/.test(state) !== complete)
      problems.push(`${name} is ${state} and lacks ${lacks}`);
    if (state === 'False Conflict') {
      const others = [...(stored?.records.values() ?? [])].filter(({ id }) => owner.get(id) !== name);
      const taken = others.map(({ content }) => content);
      if (!lacks.some((content) => taken.includes(content))) problems.push(`${name} lacks ${lacks}, which are free`);
    }
  }
  for (const id of stored?.records.keys() ?? []) if (!owner.has(id)) problems.push(`${id} is an orphan`);
  if (on.service.zones.size !== 1) problems.push(`${on.service.zones.size} zones`);
  return problems;
}

test('after any history, every value has one owner, no orphan remains, and each object without its values is not Ready', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (turns) => {
      const on = new Bench();
      on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
      for (const { steps, fault: trouble, together } of turns) {
        for (const each of steps) take(on, each);
        if (trouble) await live(on, trouble, together);
        else await on.round(together);
      }
      on.restart();
      await on.settle();
      expect(judge(on)).toEqual([]);
      for (const name of NAMES)
        if (on.cluster.record(`default/${name}`)) on.cluster.remove(DNS_RECORD, `default/${name}`);
      on.cluster.remove(DNS_ZONE, 'default/example');
      await on.settle();
      expect([on.service.lines(), on.service.zones.size, on.cluster.zones(), on.cluster.records()]).toEqual([
        [],
        0,
        [],
        [],
      ]);
    }),
    { numRuns: effort(300, 60) },
  );
}, 300_000);
