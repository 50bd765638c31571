// The plan for one DNSRecord: the table of its head comment as sentences, and the invariants of every plan.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DnsRecord } from '#client/client.ts';
import { type DesiredValue, desiredOf } from '#operator/record/desired.ts';
import { type Owned, planRecord, type RecordPlan } from '#operator/record/plan.ts';
import { aRecord } from '../../support/operator/build.ts';

const DEFAULT_TTL = 300;

/** The desired values of an A record with these last octets and this TTL. */
function wanted(octets: readonly number[], ttl?: number): DesiredValue[] {
  if (octets.length === 0) return [];
  const values = octets.map((octet) => ({ content: `192.0.2.${octet}` }));
  const verdict = desiredOf(aRecord({ values, ...(ttl === undefined ? {} : { ttl }) }), 'example.org');
  if (!verdict.ok) throw new Error(verdict.message);
  return verdict.desired.values;
}

const stored = (id: string, octet: number, ttl = DEFAULT_TTL): DnsRecord => ({
  id,
  name: 'www',
  type: 'A',
  content: `192.0.2.${octet}`,
  ttl,
  priority: null,
});

const owned = (id: string, octet: number): Owned => ({ id, content: `192.0.2.${octet}`, priority: null });

interface Given {
  desired: DesiredValue[];
  owned?: Owned[];
  actual?: DnsRecord[];
  adopt?: boolean;
}

const plan = ({ desired, owned: own = [], actual = [], adopt = false }: Given) =>
  planRecord({
    desired,
    owned: own,
    actual,
    defaultTtl: DEFAULT_TTL,
    adoptable: new Set(adopt ? actual.map(({ id }) => id) : []),
  });

/** The plan in short form: `keep r1=1`, `create 3`. */
function words(of: RecordPlan): string[] {
  const last = (content: string) => content.slice('192.0.2.'.length);
  return [
    ...of.keep.map(({ id, value }) => `keep ${id}=${last(value.content)}`),
    ...of.update.map(({ id, value }) => `update ${id}=${last(value.content)}`),
    ...of.remove.map(({ id }) => `remove ${id}`),
    ...of.create.map(({ content }) => `create ${last(content)}`),
    ...of.taken.map(({ id, value }) => `taken ${id}=${last(value.content)}`),
  ];
}

describe('the plan of a record', () => {
  it('keeps an owned value that is desired', () => {
    const of = plan({ desired: wanted([1]), owned: [owned('r1', 1)], actual: [stored('r1', 1)] });
    expect(words(of)).toEqual(['keep r1=1']);
    expect(of.drift).toEqual([]);
  });

  it('updates an owned value that is desired with another TTL', () => {
    const of = plan({ desired: wanted([1], 60), owned: [owned('r1', 1)], actual: [stored('r1', 1)] });
    expect(words(of)).toEqual(['update r1=1']);
  });

  it('keeps a value whose TTL equals the default of the zone', () => {
    const of = plan({ desired: wanted([1]), owned: [owned('r1', 1)], actual: [stored('r1', 1, DEFAULT_TTL)] });
    expect(words(of)).toEqual(['keep r1=1']);
  });

  it('changes a value into another in one write, so that the name is never without a value', () => {
    const of = plan({ desired: wanted([2]), owned: [owned('r1', 1)], actual: [stored('r1', 1)] });
    expect(words(of)).toEqual(['update r1=2']);
  });

  it('deletes an owned value that is no longer desired', () => {
    const of = plan({
      desired: wanted([1]),
      owned: [owned('r1', 1), owned('r2', 2)],
      actual: [stored('r1', 1), stored('r2', 2)],
    });
    expect(words(of)).toEqual(['keep r1=1', 'remove r2']);
    expect(of.drift).toEqual([]);
  });

  it('forgets a value that another client deleted, and creates it again', () => {
    const of = plan({ desired: wanted([1]), owned: [owned('r1', 1)], actual: [] });
    expect(words(of)).toEqual(['create 1']);
    expect(of.drift).toEqual(['192.0.2.1 (r1) was deleted']);
  });

  it('reverts a change of another client', () => {
    const of = plan({ desired: wanted([1]), owned: [owned('r1', 1)], actual: [stored('r1', 9)] });
    expect(words(of)).toEqual(['update r1=1']);
    expect(of.drift).toEqual(['192.0.2.1 (r1) was changed to 192.0.2.9']);
  });

  it('creates a missing value', () => {
    expect(words(plan({ desired: wanted([1, 2]) }))).toEqual(['create 1', 'create 2']);
  });

  it('leaves a desired value that another owner has unchanged, and reports it', () => {
    expect(words(plan({ desired: wanted([1]), actual: [stored('f1', 1)] }))).toEqual(['taken f1=1']);
  });

  it('adopts a desired value of another owner if it is permitted', () => {
    expect(words(plan({ desired: wanted([1]), actual: [stored('f1', 1)], adopt: true }))).toEqual(['keep f1=1']);
  });

  it('gives an adopted value its own TTL', () => {
    expect(words(plan({ desired: wanted([1], 60), actual: [stored('f1', 1)], adopt: true }))).toEqual(['update f1=1']);
  });

  it('ignores the other records of its name and type', () => {
    expect(words(plan({ desired: wanted([1]), actual: [stored('f9', 9)], adopt: true }))).toEqual(['create 1']);
  });

  it('creates a value in addition to one that it must not take, and keeps its owned values', () => {
    const of = plan({
      desired: wanted([1, 2]),
      owned: [owned('r3', 3)],
      actual: [stored('r3', 3), stored('f1', 1)],
    });
    expect(words(of)).toEqual(['update r3=2', 'taken f1=1']);
  });

  it('treats two spellings as one value', () => {
    const verdict = desiredOf(aRecord({ type: 'AAAA', content: '2001:DB8::0:1' } as never), 'example.org');
    if (!verdict.ok) throw new Error(verdict.message);
    const actual: DnsRecord = { ...stored('f1', 1), type: 'AAAA', content: '2001:db8:0:0:0:0:0:1' };
    const of = plan({ desired: verdict.desired.values, actual: [actual] });
    expect([of.create.length, of.taken.length]).toEqual([0, 1]);
  });
});

// A service with at most ten values: the object owns ids below 100, and other clients own the rest.
const octets = fc.uniqueArray(fc.integer({ min: 1, max: 10 }), { maxLength: 8 });
const given = fc
  .record({ desired: octets, there: octets, mine: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }) })
  .chain(({ desired, there, mine }) =>
    fc.record({
      desired: fc.constant(desired),
      actual: fc.constant(there.map((octet, at) => stored(mine[at] ? `r${at}` : `f${at}`, octet))),
      /** The ledger of the object: correct, or older than a change of another client. */
      ledger: fc.tuple(...there.map((octet) => fc.oneof(fc.constant(octet), fc.integer({ min: 1, max: 20 })))),
      lost: fc.uniqueArray(fc.integer({ min: 50, max: 52 }), { maxLength: 2 }),
      adopt: fc.boolean(),
      ttl: fc.option(fc.integer({ min: 30, max: 90 }), { nil: undefined }),
    }),
  );

interface Model {
  actual: DnsRecord[];
  owned: Owned[];
}

/** The service and the ledger after the plan was carried out. */
function apply(of: RecordPlan, { actual }: Model, ttlOf: (value: DesiredValue) => number): Model {
  let next = [...actual];
  const own: Owned[] = [];
  const hold = (id: string, value: DesiredValue) => own.push({ id, content: value.content, priority: value.priority });
  for (const { id, value } of of.keep) hold(id, value);
  for (const { id, value } of of.update) {
    next = next.map((record) => (record.id === id ? { ...record, content: value.content, ttl: ttlOf(value) } : record));
    hold(id, value);
  }
  for (const { id } of of.remove) next = next.filter((record) => record.id !== id);
  for (const [at, value] of of.create.entries()) {
    const id = `new${at}-${value.content}`;
    next.push({ ...stored(id, 0, ttlOf(value)), content: value.content });
    hold(id, value);
  }
  return { actual: next, owned: own };
}

describe('every plan', () => {
  it('reaches the desired state, changes only owned records, and has nothing left to do afterwards', () => {
    fc.assert(
      fc.property(given, ({ desired: octetsWanted, actual, ledger, lost, adopt, ttl }) => {
        const desired = wanted(octetsWanted, ttl);
        const ttlOf = (value: DesiredValue) => value.ttl ?? DEFAULT_TTL;
        const own = [
          ...actual.flatMap(({ id }, at) => (id.startsWith('r') ? [owned(id, ledger[at] as number)] : [])),
          ...lost.map((octet) => owned(`r${octet}`, octet)),
        ];
        const before: Model = { actual, owned: own };
        const of = plan({ desired, owned: own, actual, adopt });

        const ownIds = new Set(own.map(({ id }) => id));
        const foreign = actual.filter(({ id }) => !ownIds.has(id));
        for (const { id } of of.remove) expect(ownIds).toContain(id);
        for (const { id, value } of [...of.update, ...of.keep]) {
          // A foreign record is kept only for exactly the value that it has.
          const adopted = foreign.find((record) => record.id === id);
          if (adopted) expect([adopt, adopted.content]).toEqual([true, value.content]);
          else expect(ownIds).toContain(id);
        }
        if (!adopt) for (const { id } of of.update) expect(ownIds).toContain(id);

        const after = apply(of, before, ttlOf);
        const untouched = foreign.filter(({ id }) => !after.owned.some((entry) => entry.id === id));
        expect(after.actual).toEqual(expect.arrayContaining(untouched));
        // Every desired value exists once; all other values belong to other owners.
        const contents = after.actual.map(({ content }) => content);
        for (const { content } of desired) expect(contents.filter((each) => each === content)).toHaveLength(1);
        const held = new Set(after.owned.map(({ id }) => id));
        expect(held.size).toBe(after.owned.length);
        const others = after.actual.filter(({ id }) => !held.has(id));
        for (const { id } of others) expect(ownIds).not.toContain(id);
        expect(after.owned.length + of.taken.length).toBe(desired.length);

        const again = plan({ desired, owned: after.owned, actual: after.actual, adopt });
        const rest = [again.update, again.remove, again.create, again.drift].map((each) => each.length);
        expect(rest).toEqual([0, 0, 0, 0]);
        expect(again.keep).toHaveLength(after.owned.length);
      }),
      { numRuns: 1_000 },
    );
  });
});
