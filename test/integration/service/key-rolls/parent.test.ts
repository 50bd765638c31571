// A key roll and a parent elsewhere: all servers of the parent count, and one that lags, lies or is silent is named.
import { expect, test } from 'vitest';
import type { Awaited, RollKey } from '#dns/dnssec/key-roll.ts';
import { judgeStep } from '#dns/dnssec/key-sightings.ts';
import { dsContents, generateSigningKey, keyTag } from '#dns/dnssec/signing-key.ts';
import { createKeySight } from '#nameserver/probe/key-sightings.ts';
import { createParentServersLookup } from '#nameserver/probe/parent.ts';
import { startParent } from '../../../support/dns/parent-server.ts';

const ZONE = 'child.parent.example';
const FILE = `@ 600 IN SOA ns-a hostmaster 1 600 600 600 60
@ 600 IN NS ns-a
@ 600 IN NS ns-b
ns-a 600 IN A 127.0.0.1
ns-b 600 IN A 127.0.0.1
child 600 IN NS ns1.zonestead.test.
`;
const [first, second] = await Promise.all([
  startParent({ 'parent.example': FILE }),
  startParent({ 'parent.example': FILE }),
]);
const lookUp = createParentServersLookup({
  resolvers: [first.at],
  overrides: new Map([
    ['ns-a.parent.example', first.at],
    ['ns-b.parent.example', second.at],
  ]),
  mayQuery: () => true,
});
const { signal } = new AbortController();
const stated = (id: number, state: RollKey['state']): RollKey => ({ ...generateSigningKey(), id, state });
const [old, coming] = [stated(1, 'active'), stated(2, 'ready')];

const ds = (verb: 'add' | 'delete', key: RollKey, ttl = 300) =>
  dsContents(ZONE, key).map((rdata) => `update ${verb} ${ZONE} ${verb === 'add' ? ttl : ''} DS ${rdata}`);
const judge = async (awaited: Awaited, knownHold = 0) => {
  const parent = await lookUp({ zoneName: ZONE, nameservers: [] }, signal);
  return judgeStep(ZONE, awaited, { servers: [], parent }, { dataTtl: 0, knownHold });
};
const there: Awaited = { kind: 'ds-there', key: coming };
const gone: Awaited = { kind: 'ds-gone', key: coming };

test('a zone without DS records at its parent has nothing to wait for', async () => {
  expect(await judge(there)).toEqual({ isShown: true, holdS: 0 });
});

test('the old DS records at all servers, and then at one of them, hold the step, and the server is named', async () => {
  for (const server of [first, second]) await server.update(...ds('add', old));
  const oldTag = keyTag(old);
  // BIND rotates the NS records.
  for (let look = 0; look < 10; look += 1)
    expect(await judge(there)).toEqual({
      isShown: false,
      waitsFor: `ns-a.parent.example of parent.example, which has the DS record of the key ${oldTag}`,
      dsTtl: 300,
    });
  await first.update(...ds('delete', old), ...ds('add', coming, 60));
  const lagging = await judge(there, 300);
  expect(lagging).toMatchObject({ isShown: false, dsTtl: 300 });
  expect(lagging).toHaveProperty('waitsFor', expect.stringContaining('ns-b.parent.example of parent.example'));
  expect(await judge(gone)).toHaveProperty(
    'waitsFor',
    expect.stringContaining(`DS record of the key ${keyTag(coming)}`),
  );
});

test('the step is proven when every server has the new DS records and no others', async () => {
  await second.update(...ds('add', coming, 60));
  expect(await judge(there, 300)).toMatchObject({ isShown: false });
  await second.update(...ds('delete', old));
  expect(await judge(there, 300)).toEqual({ isShown: true, holdS: 300 });
});

test('a server that lies about the digest, and one that does not answer, hold the step', async () => {
  const [lie = ''] = dsContents(ZONE, { ...coming, publicKey: old.publicKey });
  const forged = `${keyTag(coming)} ${lie.split(' ').slice(1).join(' ')}`;
  await second.update(`update add ${ZONE} 60 DS ${forged}`);
  expect(await judge(there, 300)).toMatchObject({ isShown: false });
  await second.update(`update delete ${ZONE} DS ${forged}`);
  expect(await judge(there, 300)).toMatchObject({ isShown: true });
  await second.stop();
  expect(await judge(there, 300)).toHaveProperty(
    'waitsFor',
    expect.stringMatching(/^ns-b\.parent\.example of parent\.example, which does not answer/),
  );
});

test('a name server that refuses the zone proves nothing, neither as that of a hosted parent nor of the zone', async () => {
  const overrides = new Map([['ns-a.parent.example', first.at]]);
  const resolver = { resolve4: async () => [], resolve6: async () => [] };
  const sight = createKeySight({ overrides, resolver, parents: lookUp });
  const question = { zone: 'child.refused.example', nameservers: ['ns-a.parent.example'] };
  const hosted = await sight({ ...question, parent: 'hosted' }, signal);
  expect(hosted.parent).toMatchObject({ servers: [{ problem: 'it answers REFUSED', ds: [] }] });
  const own = await sight({ ...question, parent: null }, signal);
  expect(own.servers).toMatchObject([{ problem: 'it answers REFUSED', dnskeys: [] }]);
});
