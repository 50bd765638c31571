// Sentences about keys: the risk of unlimited ones, and the programs that stop with them.
import { expect, test } from 'vitest';
import { describeRisk, stopsWith } from '#console/apps/risks.ts';

const KEY = { records: 'write' as const, onlyNames: null, onlyTypes: null, networks: null, expiresAt: null };

test('a key is risky if it writes all records without an end', () =>
  expect(describeRisk(KEY)).toContain('never expires'));
test.each([
  ['only reads', { records: 'read' as const }],
  ['expires', { expiresAt: '2027-01-01T00:00:00.000Z' }],
  ['has only some names', { onlyNames: ['_acme-challenge'] }],
  ['has only some types', { onlyTypes: ['TXT' as const] }],
  ['comes only from some networks', { networks: ['192.0.2.0/24'] }],
])('a key is not risky if it %s', (_, more) => expect(describeRisk({ ...KEY, ...more })).toBeNull());

test('the revocation of a key names the program that used it last', () => {
  expect(stopsWith('zonestead-operator')).toContain('The operator of a Kubernetes cluster uses this key.');
  expect(stopsWith('zonestead-external-dns/1.0')).toContain('external-dns uses this key.');
  expect(stopsWith('curl/8.5.0 (linux)')).toBe('curl used this key last. Its next request will be refused (401).');
  expect([stopsWith(null), stopsWith('')]).toEqual([null, null]);
});
