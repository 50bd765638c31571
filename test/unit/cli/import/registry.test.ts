// The TXT registry of external-dns becomes owners. The names of its records are those of external-dns' documentation
// (registry/txt).
import { expect, test } from 'vitest';
import { groupOwnedSets } from '#cli/import/own.ts';
import { readSteps } from '#cli/import/read.ts';
import { type RegistryOptions, unusedRegistry, useRegistry } from '#cli/import/registry.ts';
import { parseZoneFileSource } from '#cli/import/sources/zone-file.ts';

const ZONE = 'shop.example';
const entry = (resource: string, id = 'prod') =>
  `TXT "heritage=external-dns,external-dns/owner=${id},external-dns/resource=${resource}"`;

function read(text: string) {
  const steps = readSteps(parseZoneFileSource('f', text, ZONE), { defaultTtl: 3600, children: [] });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
const owners = (text: string, options: RegistryOptions = {}) =>
  useRegistry(read(text), options).records.map(({ record, owner }) => `${record.name} ${record.type} ${owner ?? '-'}`);

test('the import of a TXT registry gives each record the owner of its entry, and omits the entries', () => {
  const found = useRegistry(
    read(`www A 192.0.2.1\na-www ${entry('ingress/shop/web')}\nmail A 192.0.2.2\na-gone ${entry('service/x/y')}\n`),
    {},
  );
  expect(found.records.map(({ record, owner }) => [record.name, owner])).toEqual([
    ['www', 'external-dns:prod/ingress/shop/web'],
    ['mail', undefined],
  ]);
  expect(found.skipped.map(({ place }) => place)).toEqual(['line 2', 'line 4']);
  expect(found.notes.map(({ message }) => message)).toEqual([expect.stringContaining('OWNER_ID=prod,')]);
});

test.each<[string, string, RegistryOptions]>([
  ['the older form without a type', 'www', {}],
  ['a prefix', 'reg-a-www', { txtPrefix: 'reg-' }],
  ['a prefix that is a domain', 'reg.a-www', { txtPrefix: 'reg.' }],
  ['a suffix', 'a-www-reg', { txtSuffix: '-reg' }],
  ['the type in the prefix', 'reg-a.www', { txtPrefix: 'reg-%{record_type}.' }],
])('the import of a TXT registry finds the entry with %s', (_, name, options) => {
  expect(owners(`www A 192.0.2.1\n${name} ${entry('service/a/b')}\n`, options)).toEqual([
    'www A external-dns:prod/service/a/b',
  ]);
});

test('the import of a TXT registry finds the entry of a wildcard by its replacement', () => {
  const text = `*.dev CNAME host.example.net.\ncname-any.dev ${entry('ingress/a/b')}\n`;
  expect(owners(text, { txtWildcardReplacement: 'any' })).toEqual(['*.dev CNAME external-dns:prod/ingress/a/b']);
});

test('the import of a TXT registry does not give a record the owner of another type at the name', () => {
  expect(owners(`www A 192.0.2.1\nwww AAAA 2001:db8::1\naaaa-www ${entry('service/a/b')}\n`)).toEqual([
    'www A -',
    'www AAAA external-dns:prod/service/a/b',
  ]);
});

test('the import of a TXT registry makes one set of the values of a name and type, which adopts them', () => {
  const { records } = useRegistry(
    read(`www 60 A 192.0.2.1\nwww 60 A 192.0.2.2\na-www ${entry('service/a/b')}\nx A 192.0.2.3\n`),
    {},
  );
  expect(groupOwnedSets(records)).toEqual([
    {
      owner: 'external-dns:prod/service/a/b',
      name: 'www',
      type: 'A',
      ttl: 60,
      values: [{ content: '192.0.2.1' }, { content: '192.0.2.2' }],
      adopt: 'IfIdentical',
    },
  ]);
});

test('a TXT registry is pointed out if it is not used', () => {
  expect(unusedRegistry(read(`a-www ${entry('service/a/b')}\n`))?.place).toBe('line 1');
  expect(unusedRegistry(read('www TXT "v=spf1 -all"\n'))).toBeNull();
});
