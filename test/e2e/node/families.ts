// A release in a cluster of both families: answers, the REST service and a secondary, over IPv4 and over IPv6.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { formatHostPort } from '#base/address.ts';
import type { Part } from '../../../deploy/local/parts/part.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { startSecondary } from '../../../deploy/local/parts/secondary.ts';
import type { Resolver } from '../../support/dns/resolver.ts';
import type { TestCluster } from '../../support/kubelet/cluster.ts';
import { RELEASE, type Release } from '../../support/kubelet/release.ts';

const POD_PORT = 5353;
const LIMITS = { timeout: 120_000, interval: 100 };
const familyOf = (address: string) => (isIPv6(address) ? 'IPv6' : 'IPv4');

/** An A record that is served. */
export interface Served {
  zone: string;
  name: string;
  answer: string;
}

/** The DNS Service and each name server have an address of each family, where every answer is right and validated. */
export async function answersOverBothFamilies(release: Release, served: Served): Promise<void> {
  const services = await release.serviceAddresses(`${RELEASE}-dns`);
  expect(services.map(familyOf)).toEqual(['IPv4', 'IPv6']);
  for (const address of services) await answersRight(release.dnsAt({ address, port: 53 }), served);
  const pods = await nameServerAddresses(release);
  expect([...new Set(pods.map(familyOf))].sort()).toEqual(['IPv4', 'IPv6']);
  for (const address of pods) await answersRight(release.dnsAt({ address, port: POD_PORT }), served);
}

async function answersRight(dns: Resolver, { zone, name, answer }: Served): Promise<void> {
  for (const tcp of [false, true]) {
    const { aa, answers } = await dns.lookup(name, 'A', { tcp });
    expect([dns.address, tcp, aa, answers]).toEqual([dns.address, tcp, true, [answer]]);
  }
  expect((await dns.delv(zone, name, 'A')).state).toBe('secure');
  expect(await dns.delv(zone, `nothing.${zone}`, 'A')).toMatchObject({ state: 'secure', negative: 'nxdomain' });
}

async function nameServerAddresses(release: Release): Promise<string[]> {
  const pods = await release.pods();
  return pods.filter(({ component }) => component === 'nameserver').flatMap(({ addresses }) => addresses);
}

/** A change that is written over one family is read and answered over the other one. */
export async function writesOverBothFamilies(release: Release): Promise<void> {
  const { key, teamId } = await release.mintKey('families');
  const addresses = await release.serviceAddresses(`${RELEASE}-api`);
  expect(addresses.map(familyOf)).toEqual(['IPv4', 'IPv6']);
  const [four, six] = addresses.map((address) => release.requests(key, address));
  if (four === undefined || six === undefined) throw new Error('the api has no address of one family');
  const [, dns = ''] = await release.serviceAddresses(`${RELEASE}-dns`);
  const { body: zone } = await six('POST', '/zones', { zoneName: 'families.example', owner: `org:${teamId}` });
  for (const [name, write, read] of [
    ['from-ipv4', four, six],
    ['from-ipv6', six, four],
  ] as const) {
    const written = await write('POST', `/zones/${zone.id}/records`, { name, type: 'AAAA', content: '2001:db8::1' });
    expect([name, written.status]).toEqual([name, 201]);
    const { body } = await read('GET', `/zones/${zone.id}/records/${written.body.id}`);
    expect(body).toMatchObject({ name, content: '2001:db8::1' });
    const { lookup } = release.dnsAt({ address: dns, port: 53 });
    const answers = async () => (await lookup(`${name}.families.example`, 'AAAA')).answers;
    await expect.poll(answers, LIMITS).toEqual([`${name}.families.example 3600 AAAA 2001:db8::1`]);
  }
}

/** BIND outside of the cluster, which has an IPv6 address alone, gets the zone, and then each change by NOTIFY. */
export async function feedsSecondaryOverIpv6(
  cluster: TestCluster,
  release: Release,
  { served, change }: { served: Served; change: (content: string) => Promise<unknown> },
): Promise<void> {
  const { cluster: ground } = inject('nodeGround');
  const address = cluster.node?.hostAddresses.find(isIPv6);
  const primary = (await nameServerAddresses(release)).find(isIPv6);
  if (!('bind' in ground) || address === undefined || primary === undefined) throw new Error('a node without IPv6');
  const parent = await mkdtemp(join(tmpdir(), 'zonestead-secondary-'));
  const folder = join(parent, 'data');
  await mkdir(folder);
  const { dns: port = 0 } = await allocatePorts([{ name: 'dns', dns: true }], { stateDir: parent });
  const admin = (...words: string[]) => release.command('admin', 'secondaries', ...words);
  const at = { address, port };
  let part: Part | undefined;
  try {
    await admin('add', 'six', '--address', formatHostPort(address, port), '--zone', served.zone);
    const place = ['--for', 'bind', '--primary', formatHostPort(primary, POD_PORT), '--folder', folder];
    const config = await admin('config', 'six', ...place);
    const { signal } = new AbortController();
    part = await startSecondary({ server: ground.bind, config, folder, ...at, signal });
    const secondary = release.dnsAt(at);
    const answers = async () => (await secondary.lookup(served.name, 'A')).answers;
    await expect.poll(answers, LIMITS).toEqual([served.answer]);
    await answersRight(secondary, served);
    await change('192.0.2.66');
    await expect.poll(answers, LIMITS).toEqual([served.answer.replace(/\S+$/, '192.0.2.66')]);
    await change(served.answer.replace(/.* /, ''));
    await expect.poll(answers, LIMITS).toEqual([served.answer]);
  } finally {
    await part?.stop();
    await admin('remove', 'six');
    await rm(parent, { recursive: true, force: true });
  }
}
