// The places where the writer of a record may write its PTR record.
import { expect, test } from 'vitest';
import { MAX_SCOPE_ZONES, reverseScopeOf, scopeForRecord } from '#service/reverse/scope.ts';
import type { Level } from '#store/keys.ts';

const rights = (
  more: { records?: Level; grants?: [string, Level][]; onlyNames?: string[]; onlyTypes?: string[] } = {},
) => ({
  records: more.records ?? 'write',
  grants: new Map(more.grants ?? []),
  onlyNames: more.onlyNames ?? null,
  onlyTypes: more.onlyTypes ?? null,
});
const many = (level: Level) =>
  Array.from({ length: MAX_SCOPE_ZONES + 1 }, (_, at): [string, Level] => [`zone_${at}`, level]);

test.each([
  ['a key with all rights', rights(), {}],
  [
    'a key that may write in one zone',
    rights({
      records: 'none',
      grants: [
        ['a', 'write'],
        ['b', 'read'],
      ],
    }),
    { zones: ['a'] },
  ],
  [
    'a key that may not write in one zone',
    rights({
      grants: [
        ['a', 'read'],
        ['b', 'write'],
      ],
    }),
    { not: ['a'] },
  ],
  ['a key that only reads', rights({ records: 'read' }), { zones: [] }],
  ['a key with some names', rights({ onlyNames: ['a_b.*', '5'] }), { names: ['a\\_b.%', '5'] }],
  ['a key with other types', rights({ onlyTypes: ['A', 'AAAA'] }), { zones: [] }],
  ['a key with the type PTR', rights({ onlyTypes: ['A', 'PTR'] }), {}],
  ['a key with too many zones', rights({ records: 'none', grants: many('write') }), { zones: [] }],
  ['a key with too many exceptions', rights({ grants: many('none') }), { zones: [] }],
])('%s has this scope', (_, actor, scope) => {
  expect(reverseScopeOf(actor)).toEqual(scope);
});

test('a record that names its zones has them as scope, as far as the key may write there', () => {
  const health = { reverse: true, reverseIn: ['zone_a', 'zone_b'] } as const;
  expect(scopeForRecord(rights(), health)).toEqual({ zones: ['zone_a', 'zone_b'] });
  const only = rights({ records: 'none', grants: [['zone_b', 'write']], onlyNames: ['5'] });
  expect(scopeForRecord(only, health)).toEqual({ zones: ['zone_b'], names: ['5'] });
  expect(scopeForRecord(rights({ grants: [['zone_a', 'read']] }), health)).toEqual({
    zones: ['zone_a', 'zone_b'],
    not: ['zone_a'],
  });
  expect(scopeForRecord(rights({ onlyTypes: ['A'] }), health)).toEqual({ zones: [] });
  expect(scopeForRecord(rights(), { reverse: true, reverseIn: [] })).toEqual({ zones: [] });
});

test('only a record with reverse has a scope', () => {
  expect(scopeForRecord(rights(), { reverse: true })).toEqual({});
  expect(scopeForRecord(rights(), { check: 'web' })).toBeNull();
  expect(scopeForRecord(rights(), null)).toBeNull();
});
