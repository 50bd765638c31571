// Random applies, releases and plain writes by several owners, through HTTP on a real database, compared with a model.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestService } from '../../../support/service/service.ts';
import { type ModelSet, OwnerModel } from './owner-model.support.ts';

const service = await startTestService({ nameserver: false });
const { request } = service;
const second = await service.anotherApi();

const owners = ['k8s:one/a/x', 'k8s:two/a/x', 'external-dns:z'];
const names = ['www', 'api'];
const values = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
const ttls = [60, 300];
const name = fc.constantFrom(...names);
const value = fc.constantFrom(...values);
const ttl = fc.constantFrom(...ttls);

const set = fc.record({
  owner: fc.constantFrom(...owners),
  name,
  values: fc.uniqueArray(value, { minLength: 1, maxLength: 3 }),
  ttl,
  share: fc.boolean(),
  retain: fc.boolean(),
  drift: fc.constantFrom('Enforce' as const, 'Enforce' as const, 'Report' as const, 'Ignore' as const),
  adopt: fc.boolean(),
  exact: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('apply' as const), set }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('again' as const), at: fc.nat(50) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('release' as const), owner: fc.constantFrom(...owners), name }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release-all' as const), owner: fc.constantFrom(...owners) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('create' as const), name, value, ttl }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), name, value, to: value, ttl }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), name, value }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const bodyOf = ({ adopt, values: contents, ...rest }: ModelSet) => ({
  ...rest,
  type: 'A',
  adopt: adopt ? 'IfIdentical' : 'Never',
  values: contents.map((content) => ({ content })),
});

interface Stored {
  id: string;
  name: string;
  content: string;
  ttl: number;
}

async function run(steps: readonly Step[]): Promise<void> {
  const zone = await service.zone();
  const path = `/zones/${zone.id}`;
  const model = new OwnerModel();
  const applied: ModelSet[] = [];
  const stored = async () => (await request('GET', `${path}/records`)).body.records as Stored[];
  const find = async (at: string, content: string) =>
    (await stored()).find((record) => record.name === at && record.content === content)?.id ?? 'rec_none';
  const apply = async (body: object, index: number): Promise<boolean> => {
    const via = index % 2 === 0 ? request : second.request;
    const { body: answer } = await via('POST', `${path}/records:apply`, { sets: [body] });
    return (answer.results as { status: number }[])[0]?.status === 200;
  };
  const one = async (each: Step, index: number): Promise<[boolean, boolean]> => {
    switch (each.kind) {
      case 'apply':
        applied.push(each.set);
        return [await apply(bodyOf(each.set), index), model.apply(each.set)];
      case 'again': {
        const again = applied[each.at % Math.max(1, applied.length)];
        return again ? [await apply(bodyOf(again), index), model.apply(again)] : [true, true];
      }
      case 'release':
        model.release(each.owner, each.name);
        return [await apply({ owner: each.owner, name: each.name, type: 'A', values: [] }, index), true];
      case 'release-all':
        for (const held of model.heldBy(each.owner)) model.release(held.owner, held.name);
        return [await apply({ owner: each.owner, release: true }, index), true];
      case 'create': {
        const record = { name: each.name, type: 'A', content: each.value, ttl: each.ttl };
        return [
          (await request('POST', `${path}/records`, record)).status === 201,
          model.create(each.name, each.value, each.ttl),
        ];
      }
      case 'change': {
        const record = { name: each.name, type: 'A', content: each.to, ttl: each.ttl };
        const id = await find(each.name, each.value);
        const { status } = await request('PUT', `${path}/records/${id}`, record);
        return [status === 200, model.change(each.name, each.value, each.to, each.ttl)];
      }
      case 'remove': {
        const { status } = await request('DELETE', `${path}/records/${await find(each.name, each.value)}`);
        return [status === 204, model.remove(each.name, each.value)];
      }
    }
  };
  for (const [index, each] of steps.entries()) {
    const [service, expected] = await one(each, index);
    expect({ index, accepted: service }).toEqual({ index, accepted: expected });
    const { body } = await request('GET', `${path}/owners`);
    const ownersOf = new Map<string, string[]>();
    for (const { owner, records } of body.owners as { owner: string; records: { id: string }[] }[])
      for (const { id } of records) ownersOf.set(id, [...(ownersOf.get(id) ?? []), owner]);
    const lines = (await stored()).map(
      (record) => `${record.name} ${record.content} ${record.ttl} [${(ownersOf.get(record.id) ?? []).sort().join()}]`,
    );
    expect({ index, lines: lines.sort() }).toEqual({ index, lines: model.lines() });
    const held = (body.owners as { owner: string; name: string }[]).map((held) => `${held.owner} ${held.name}`);
    expect({ index, held: held.sort() }).toEqual({ index, held: [...model.held.keys()].sort() });
  }
}

test('random steps have the results of the model', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), run);
  await fc.assert(property, { numRuns: 8, endOnFailure: true });
});
