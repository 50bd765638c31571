// Wildcards (RFC 4592) and aliases. delv validates each answer.
import { expect, test } from 'vitest';
import { expectNegative, expectPositive } from '../../../support/dns/answers.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { dns } = service;
const zone = await service.zone('wild.example');
const ZONE = 'wild.example';
const at = (name: string) => (name === '@' ? ZONE : `${name}.${ZONE}`);

for (const [name, type, content] of [
  ['www', 'A', '192.0.2.1'],
  ['alias', 'CNAME', 'alias2.wild.example'],
  ['alias2', 'CNAME', 'www.wild.example'],
  ['dangling', 'CNAME', 'nowhere.wild.example'],
  ['outside', 'CNAME', 'host.example.net'],
  ['*.wild', 'A', '192.0.2.4'],
  ['*.wild', 'TXT', 'star'],
  ['sister.wild', 'TXT', 'sister'],
  ['below.sister2.wild', 'TXT', 'below'],
  ['*.aliased', 'CNAME', 'www.wild.example'],
] as const) {
  await service.record(zone, name, type, content);
}

const positive = (name: string, type: string) => expectPositive(dns, ZONE, at(name), type);
const negative = (name: string, type: string, kind: 'nxdomain' | 'nodata') =>
  expectNegative(dns, ZONE, at(name), type, kind);

test('a wildcard (RFC 4592) answers for names that do not exist, at any depth, with proof', async () => {
  for (const name of ['x.wild', 'a.b.c.wild', '*.wild']) {
    const { answers } = await dns.lookup(at(name), 'A');
    expect(answers.map((line) => line.split(' ').slice(2).join(' '))).toEqual(['A 192.0.2.4']);
    expect(await dns.delv('wild.example', at(name), 'A')).toMatchObject({ state: 'secure', negative: null });
  }
});

test('a wildcard (RFC 4592) has no other types than its own: NODATA, with proof', () =>
  negative('x.wild', 'AAAA', 'nodata'));

test('a wildcard (RFC 4592) does not answer for an existing sibling name, nor below such a name (closest encloser)', async () => {
  await negative('sister.wild', 'A', 'nodata');
  await negative('below.sister2.wild', 'A', 'nodata');
  await negative('x.sister2.wild', 'A', 'nxdomain');
  await negative('x.sister.wild', 'TXT', 'nxdomain');
});

test('a wildcard (RFC 4592) leaves the names above it and above its siblings empty, with proof', async () => {
  for (const name of ['wild', 'sister2.wild', 'aliased']) await negative(name, 'A', 'nodata');
});

test('a wildcard (RFC 4592) can be an alias', async () => {
  expect(await positive('x.aliased', 'A')).toEqual([
    'www.wild.example 3600 A 192.0.2.1',
    'x.aliased.wild.example 3600 CNAME www.wild.example',
  ]);
});

test('an alias is followed inside the zone, over several links', async () => {
  expect(await positive('alias', 'A')).toEqual([
    'alias.wild.example 3600 CNAME alias2.wild.example',
    'alias2.wild.example 3600 CNAME www.wild.example',
    'www.wild.example 3600 A 192.0.2.1',
  ]);
});

test('an alias is answered itself if its target lacks the type or does not exist, with proof of that', async () => {
  expect(await positive('alias', 'CNAME')).toEqual(['alias.wild.example 3600 CNAME alias2.wild.example']);
  expect((await dns.lookup(at('alias'), 'MX')).rcode).toBe('NOERROR');
  expect((await dns.lookup(at('dangling'), 'A')).rcode).toBe('NXDOMAIN');
  for (const [name, type, kind] of [
    ['alias', 'MX', 'nodata'],
    ['dangling', 'A', 'nxdomain'],
  ] as const) {
    expect(await dns.delv('wild.example', at(name), type)).toMatchObject({ state: 'secure', negative: kind });
  }
});

test('an alias to a name outside of the zone ends there', async () => {
  expect((await dns.lookup(at('outside'), 'A')).answers).toEqual(['outside.wild.example 3600 CNAME host.example.net']);
});
