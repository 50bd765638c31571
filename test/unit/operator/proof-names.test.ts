// A namespace that may write `*.dev` in the zone of another namespace, and not `dev`, gets no certificate for `dev`.
import { expect, test } from 'vitest';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { acmeVerdict } from '#resources/acme-grant.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';
import { aZone } from '../../support/operator/build.ts';
import { ATTEMPTS, type Attempt, ORDINARY, toFields } from '../../support/service/proof-names.ts';

type Grant = { namespaces: { from: string }; names?: string[]; types?: string[] };
const DEV: Grant = { namespaces: { from: 'All' }, names: ['*.dev'] };

/** Namespace a has shop.example, and namespace b has records in it. */
async function shop(spec: Record<string, unknown>): Promise<Bench> {
  const on = new Bench();
  for (const name of ['a', 'b']) on.cluster.create(NAMESPACE, { namespace: '', name }, {});
  on.cluster.create(DNS_ZONE, { namespace: 'a', name: 'shop' }, { zoneName: 'shop.example', ...spec });
  await on.settle();
  return on;
}

/** The states of the records, each created alone, because some types exclude each other at one name. */
async function statesOf(spec: Record<string, unknown>, attempts: readonly Attempt[], namespace = 'b') {
  const states: (readonly [Attempt, string])[] = [];
  for (const attempt of attempts) {
    const on = await shop(spec);
    const zoneRef = namespace === 'a' ? { name: 'shop' } : { name: 'shop', namespace: 'a' };
    const key = on.cluster.create(DNS_RECORD, { namespace, name: 'try' }, { zoneRef, ...toFields(attempt) });
    await on.settle();
    states.push([attempt, on.ready(on.cluster.record(key))]);
  }
  return states;
}

const all = (attempts: readonly Attempt[], state: string) => attempts.map((attempt) => [attempt, state]);

test('DNSRecords from a namespace that may write *.dev prove nothing about dev', async () => {
  expect(await statesOf({ allowedRecords: [DEV] }, ATTEMPTS)).toEqual(all(ATTEMPTS, 'False NotPermitted'));
});

test("DNSRecords from the zone's own namespace prove nothing either, if its rule is from: Same", async () => {
  const spec = { allowedRecords: [{ ...DEV, namespaces: { from: 'Same' } }] };
  expect(await statesOf(spec, ATTEMPTS, 'a')).toEqual(all(ATTEMPTS, 'False NotPermitted'));
});

test('DNSRecords at names below dev are permitted as before', async () => {
  expect(await statesOf({ allowedRecords: [DEV] }, ORDINARY)).toEqual(all(ORDINARY, 'True Ready'));
});

test('DNSRecords are permitted at a name that a rule spells, or for which a rule permits the proven name', async () => {
  const challenge: Attempt = ['_acme-challenge.dev', 'TXT', '"proof"'];
  const wildcard: Attempt = ['*.dev', 'TXT', '"proof"'];
  const rule = (...names: string[]): Grant => ({ ...DEV, names });
  for (const [rules, attempt, state] of [
    [[rule('dev')], challenge, 'True Ready'],
    [[rule('_acme-challenge.dev')], challenge, 'True Ready'],
    [[rule('_ACME-challenge.Dev')], challenge, 'True Ready'],
    [[rule('_validation-persist.dev')], challenge, 'False NotPermitted'],
    [[rule('dev')], wildcard, 'False NotPermitted'],
    [[rule('dev', '*.dev')], wildcard, 'True Ready'],
    // Two rules permit the two names, if each permits the type.
    [[rule('dev'), rule('*.dev')], wildcard, 'True Ready'],
    [[{ ...rule('dev'), types: ['A'] }, rule('*.dev')], wildcard, 'False NotPermitted'],
    [[rule('*')], challenge, 'True Ready'],
  ] as const)
    expect(await statesOf({ allowedRecords: rules }, [attempt])).toEqual([[attempt, state]]);
});

test('DNSRecords that were served before the rule are withdrawn from DNS, and the condition says what to permit', async () => {
  const on = await shop({ allowedRecords: [{ ...DEV, names: ['dev'] }] });
  const spec = { zoneRef: { name: 'shop', namespace: 'a' }, ...toFields(['_acme-challenge.dev', 'TXT', '"proof"']) };
  const key = on.cluster.create(DNS_RECORD, { namespace: 'b', name: 'try' }, spec);
  await on.settle();
  expect(on.service.lines()).toHaveLength(1);
  on.cluster.edit(DNS_ZONE, 'a/shop', { allowedRecords: [DEV] });
  await on.settle();
  expect(on.service.lines()).toEqual([]);
  expect(on.message(on.cluster.record(key))).toBe(
    'DNSZone a/shop does not allow TXT records named _acme-challenge.dev from namespace b. They prove control of dev to a certificate authority, so dev must be allowed too. The owner of that DNSZone can allow them in spec.allowedRecords.',
  );
});

test.each([
  ['_acme-challenge.dev.shop.example', 'False NotPermitted'],
  ['x._acme-challenge.dev.shop.example', 'False NotPermitted'],
  ['_acme-challenge.shop.example', 'False NotPermitted'],
  ['_dnsauth.dev.shop.example', 'False NotPermitted'],
  ['web.dev.shop.example', 'True Ready'],
  ['_acme-challenge.web.dev.shop.example', 'True Ready'],
])('a namespace that may write *.dev gets the child zone %s: %s', async (zoneName, state) => {
  const on = await shop({ allowedRecords: [DEV] });
  on.cluster.create(DNS_ZONE, { namespace: 'b', name: 'child' }, { zoneName });
  await on.settle();
  expect(on.ready(on.cluster.zone('b/child'))).toBe(state);
});

test.each([
  [{ names: ['*.dev'] }, '_acme-challenge.dev', 'name'],
  [{ names: ['*.dev'] }, '_x._acme-challenge.dev', 'name'],
  [{ names: ['dev'] }, '_x._acme-challenge.dev', 'permitted'],
  [{ names: ['*.dev'] }, '_x._acme-challenge.web.dev', 'permitted'],
  [{ names: ['*'] }, '*._acme-challenge.dev', 'target'],
  // A persistent proof lasts, so a permission for challenges does not include it.
  [{ names: ['*'] }, '_validation-persist.dev', 'target'],
  [{ names: [], targets: ['*.dev'] }, '_acme-challenge.dev', 'name'],
  [{ names: [], targets: ['*.dev'] }, '_dnsauth.dev', 'target'],
  [{ names: [], targets: ['*.dev'] }, '*.dev', 'target'],
  [{ names: [], targets: ['dev'] }, '_acme-challenge.dev', 'name'],
  [{ names: [], targets: ['_acme-challenge.dev'] }, '_acme-challenge.dev', 'permitted'],
  [{ names: [], targets: ['*.dev'] }, 'certs.dev', 'permitted'],
])('spec.acme %j judges a challenge at %s: %s', (acme, name, expected) => {
  const zone = aZone({ acme: { namespaces: { from: 'All' }, ...acme } }, { namespace: 'a' });
  expect(acmeVerdict(zone, 'b', name, () => ({}))).toBe(expected);
});
