// The ACME challenges that a zone permits: namespace and name compared with spec.acme.
import { expect, test } from 'vitest';
import { acmeVerdict } from '#resources/acme-grant.ts';
import { aZone } from '../../support/operator/build.ts';

const LABELS: Record<string, Record<string, string>> = { dns: {}, shop: { team: 'shop' }, blog: { team: 'blog' } };
const verdict = (acme: object | undefined, namespace: string, name: string) =>
  acmeVerdict(aZone(acme === undefined ? {} : { acme }, { namespace: 'dns' }), namespace, name, (each) => LABELS[each]);

const SHOP = { from: 'Selector', selector: { matchLabels: { team: 'shop' } } };

test('a zone permits no challenge without spec.acme', () => {
  expect(verdict(undefined, 'dns', '_acme-challenge')).toBe('none');
});

test.each(['_acme-challenge', '_acme-challenge.www', '_acme-challenge.a.b'])(
  'a zone permits %s for its own namespace, regardless of the names that it lists for others',
  (name) => {
    expect(verdict({}, 'dns', name)).toBe('permitted');
    expect(verdict({ namespaces: { from: 'All' }, names: ['shop'] }, 'dns', name)).toBe('permitted');
    expect(verdict({}, 'shop', name)).toBe('namespace');
  },
);

test('a zone limits its own namespace to the names that it lists if a rule restricts the records of that namespace', () => {
  const restricted = (acme: object, name: string, from = 'Same') => {
    const spec = { acme, allowedRecords: [{ namespaces: { from }, types: ['A'] }] };
    return acmeVerdict(aZone(spec, { namespace: 'dns' }), 'dns', name, (each) => LABELS[each]);
  };
  expect(restricted({ names: ['shop'] }, '_acme-challenge.shop')).toBe('permitted');
  expect(restricted({ names: ['shop'] }, '_acme-challenge')).toBe('name');
  expect(restricted({ names: [] }, '_acme-challenge.shop')).toBe('name');
  expect(restricted({}, '_acme-challenge')).toBe('permitted');
  expect(restricted({ names: ['shop'] }, '_acme-challenge', 'All')).toBe('permitted');
});

test.each([
  [['shop', '*.shop'], '_acme-challenge.shop', 'permitted'],
  [['shop', '*.shop'], '_acme-challenge.www.shop', 'permitted'],
  [['shop', '*.shop'], '_acme-challenge.a.b.shop', 'permitted'],
  [['shop', '*.shop'], '_acme-challenge', 'name'],
  [['shop', '*.shop'], '_acme-challenge.blog', 'name'],
  [['shop', '*.shop'], '_acme-challenge.myshop', 'name'],
  [['shop', '*.shop'], '_acme-challenge._acme-challenge', 'name'],
  [['*.shop'], '_acme-challenge.shop', 'name'],
  [['@'], '_acme-challenge', 'permitted'],
  [['@'], '_acme-challenge.www', 'name'],
  [['*'], '_acme-challenge', 'permitted'],
  [['*'], '_acme-challenge.a.b', 'permitted'],
  [['SHOP'], '_acme-challenge.shop', 'permitted'],
  [[], '_acme-challenge.shop', 'name'],
  // The names are names of certificates: no other record at these names is a challenge.
  [['shop', '*.shop', '*'], 'shop', 'target'],
  [['shop', '*.shop', '*'], 'mail.shop', 'target'],
  [['shop'], 'a._acme-challenge.shop', 'target'],
])('a zone that lists %j for a namespace answers for %s: %s', (names, name, expected) => {
  expect(verdict({ namespaces: SHOP, names }, 'shop', name)).toBe(expected);
  expect(verdict({ namespaces: SHOP, names }, 'blog', name)).toBe('namespace');
});

test('a zone permits challenges at its targets for the namespaces of the grant only', () => {
  const acme = { namespaces: SHOP, names: [], targets: ['certs', '*.auth'] };
  expect(verdict(acme, 'shop', 'certs')).toBe('permitted');
  expect(verdict(acme, 'shop', 'x.auth')).toBe('permitted');
  expect(verdict(acme, 'shop', 'auth')).toBe('target');
  expect(verdict(acme, 'blog', 'certs')).toBe('namespace');
  expect(verdict({ targets: ['certs'] }, 'dns', 'certs')).toBe('permitted');
  expect(verdict({}, 'dns', 'certs')).toBe('target');
});
