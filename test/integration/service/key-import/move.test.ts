// A signed zone moves from BIND and from PowerDNS with its key: while both answer for it, a validating resolver with a
// cache, which asks either of them, refuses no answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import type { DsRecord, ZoneCreated } from '#contract/zone.ts';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { startSigningBind } from '../../../support/dns/signing-bind.ts';
import { startValidatingResolver } from '../../../support/dns/validating-resolver.ts';
import { startPowerDns } from '../../../support/doors/powerdns/server.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { startTestService } from '../../../support/service/service.ts';

/** The cache forgets within the test, so that each kind of answer is asked for at each server many times. */
const MAX_TTL_S = 1;
const ASKERS = 8;
const ASKED = Number(process.env.ZONESTEAD_TEST_QUERIES ?? 4_000);
const NAMES = 20;
/** The addresses that the old server and the new one answer. */
const [OLD, NEW] = ['192.0.2.1', '192.0.2.2'];

/** The old server of a zone, and its key. */
interface Old {
  at: ProbeEndpoint;
  privateKey: string;
  dnskey: string;
}

const service = await startTestService();
const powerDns = await startPowerDns();
const { signal } = new AbortController();

const namesOf = (zone: string) => Array.from({ length: NAMES }, (_, n) => `n${n}.${zone}`);

/** BIND that signs the zone with one key, as its default policy does. */
function startBind(zone: string) {
  const records = namesOf(zone).map((name) => `${name}. 60 IN A ${OLD}`);
  const soa = '@ 60 IN SOA ns1.old.example. host.old.example. 1 3600 600 86400 60\n@ 60 IN NS ns1.old.example.';
  return startSigningBind(zone, `$ORIGIN ${zone}.\n${soa}\n${records.join('\n')}\n`);
}

async function pdnsutil(...words: string[]): Promise<string> {
  const args = [`--config-dir=${powerDns.folder}`, ...words];
  return (await runCommand({ command: 'pdnsutil', args, timeoutMs: 60_000, signal })).out;
}

/** PowerDNS that signs the zone with one key, as it does by default, and the key by pdnsutil. */
async function fillPowerDns(zone: string, dnssec = true) {
  const rrsets = namesOf(zone).map((name) => ({
    ...{ name: `${name}.`, type: 'A', ttl: 60, records: [{ content: OLD, disabled: false }] },
  }));
  const body = { name: `${zone}.`, kind: 'Native', nameservers: ['ns1.old.example.'], dnssec, rrsets };
  expect((await powerDns.send('POST', '/zones', body)).status).toBe(201);
  return { at: powerDns.dns, ...(dnssec ? await exportKey(zone) : { privateKey: '', dnskey: '' }) };
}

/** The key with the flags 257. */
async function exportKey(zone: string) {
  const { body } = await powerDns.send('GET', `/zones/${zone}./cryptokeys`);
  const key = (body as { id: number; flags: number }[]).find(({ flags }) => flags === 257);
  const privateKey = await pdnsutil('export-zone-key', zone, String(key?.id));
  const dnskey = await pdnsutil('export-zone-dnskey', zone, String(key?.id));
  return { privateKey, dnskey };
}

/** PowerDNS with two keys, whose zone-signing key is deactivated, as the page about the move says. */
async function fillPowerDnsWithTwoKeys(zone: string) {
  const { at } = await fillPowerDns(zone, false);
  const path = `/zones/${zone}./cryptokeys`;
  const add = (keytype: string) =>
    powerDns.send('POST', path, { keytype, active: true, published: true, algorithm: 'ecdsa256' });
  expect([(await add('ksk')).status, (await add('zsk')).status]).toEqual([201, 201]);
  const { body } = await powerDns.send('GET', path);
  const zsk = (body as { id: number; flags: number }[]).find(({ flags }) => flags === 256);
  await pdnsutil('deactivate-zone-key', zone, String(zsk?.id));
  await pdnsutil('remove-zone-key', zone, String(zsk?.id));
  return { at, ...(await exportKey(zone)) };
}

const anchorOf = (zone: string, ds: DsRecord | undefined) =>
  `${zone}. DS ${ds?.keyTag} ${ds?.algorithm} ${ds?.digestType} ${ds?.digest}`;

/** Asks until so many answers have come. @returns the answers that are not secure, and how often each address came */
async function askBoth(zone: string, anchor: string, servers: readonly [ProbeEndpoint, ProbeEndpoint]) {
  const folder = await temporaryFolder('resolver');
  const { dns: port = 0 } = await allocatePorts([{ name: 'dns', dns: true }], { stateDir: folder });
  const resolver = await startValidatingResolver({
    command: inject('tools').unbound,
    ...{ folder, port, zone, server: servers[0], others: [servers[1]], anchor, maxTtl: MAX_TTL_S, signal },
  });
  const wrong: string[] = [];
  const seen = new Map<string, number>();
  let asked = 0;
  const ask = async () => {
    // The resolver chooses the server, and has a cache.
    while (asked < ASKED || (seen.size < 2 && asked < 10 * ASKED)) {
      const n = asked++;
      const name = n % 4 === 3 ? `absent${n}.${zone}` : `n${n % NAMES}.${zone}`;
      const { state, addresses } = await resolver.resolve(name, n % 5 === 4 ? 'AAAA' : 'A');
      if (state !== 'secure') wrong.push(`${name}: ${state}`);
      for (const address of addresses) seen.set(address, (seen.get(address) ?? 0) + 1);
      await sleep(2);
    }
  };
  try {
    await Promise.all(Array.from({ length: ASKERS }, ask));
  } finally {
    resolver.close();
    await resolver.part.stop();
  }
  return { wrong, seen };
}

test.each<[string, (zone: string) => Promise<Old>, string]>([
  ['BIND', startBind, 'bind.example'],
  ['PowerDNS', fillPowerDns, 'powerdns.example'],
  ['a PowerDNS whose zone-signing key went', fillPowerDnsWithTwoKeys, 'two-keys.example'],
])('a zone moves from %s with its key, and no answer of the two servers is refused', async (_, start, name) => {
  const { at, privateKey, dnskey } = await start(name);
  const key = { privateKey, dnskey };
  const { admin, request } = service;
  const reply = await request('POST', '/zones', { zoneName: name, owner: `org:${admin.team}`, key });
  expect([reply.status, reply.body.message]).toEqual([200, undefined]);
  const zone = reply.body as unknown as ZoneCreated;
  for (const each of namesOf(name)) await service.record(zone, each.split('.')[0] ?? '', 'A', NEW, { ttl: 60 });
  await service.settled();
  const anchor = anchorOf(name, zone.ds[0]);
  const { wrong, seen } = await askBoth(name, anchor, [at, service.dns]);
  expect(wrong).toEqual([]);
  // The answers are of both servers.
  expect([...seen.keys()].sort()).toEqual([OLD, NEW].sort());
});
