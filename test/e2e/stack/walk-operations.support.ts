// The steps of the random walk, as data for fast-check: small pools, so that names and values collide often.
import fc from 'fast-check';
import { type Grant, NAMESPACES, type Type, ZONE_NAMES } from './walk-model.support.ts';

export const CONTENTS: Record<Type, string[]> = {
  A: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
  TXT: ['t1', 't2', 't3'],
  CNAME: ['p.example.net', 'q.example.net', 'r.example.net'],
};

/** Canonical names; a CNAME has one that nothing else is at. */
export const NAMES: Record<Type, string[]> = { A: ['@', 'w', '*.y'], TXT: ['@', 'w', '*.y'], CNAME: ['alias'] };

/** (Null: none.) */
const GRANTS: (Grant | null)[] = [
  null,
  { from: NAMESPACES },
  { from: ['c'], names: ['w', 'alias'] },
  { from: NAMESPACES, types: ['TXT'] },
];

const zone = fc.constantFrom(...ZONE_NAMES);
const namespace = fc.constantFrom(...NAMESPACES);
const rrset = fc.constantFrom<Type>('A', 'TXT', 'CNAME').chain((type) =>
  fc.record({
    type: fc.constant(type),
    name: fc
      .tuple(fc.constantFrom(...NAMES[type]), fc.boolean())
      .map(([name, loud]) => (loud ? name.toUpperCase() : name)),
    contents: fc.uniqueArray(fc.constantFrom(...CONTENTS[type]), { minLength: 1, maxLength: type === 'CNAME' ? 1 : 2 }),
  }),
);
const which = fc.nat(1_000);

const create = fc.record({
  do: fc.constant('create' as const),
  wishes: fc.array(fc.record({ zone, namespace, rrset }), { minLength: 1, maxLength: 4 }),
});

export const step = fc.oneof(
  { weight: 6, arbitrary: create },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('edit' as const), which, pick: which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('foreign create' as const), zone, rrset }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('foreign edit' as const), zone, which, pick: which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('foreign delete' as const), zone, which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('grant' as const), zone, grant: fc.constantFrom(...GRANTS) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('park' as const), zone }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), hard: fc.boolean() }) },
);

export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
