// A transfer of the signed zone, compared record by record with the API's list and verified as a whole by ldns. The serving
// PowerDNS refuses transfers, because its replicas read the same Postgres. This second PowerDNS, on the same rows, allows them.
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { ask } from '#nameserver/probe/probe.ts';
import { ensureTools } from '../../../deploy/local/parts/apt.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { type Part, startProcess, waitFor } from '../../../deploy/local/parts/process.ts';
import { NAMESERVERS, startTestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const service = await startTestService();
const stateDir = await temporaryFolder('transfer');
const { signal } = new AbortController();
const LIMIT_MS = 20_000;
const HASH = 'ab'.repeat(32);

/** Name, type, content as sent, and the content in a zone file if it differs. */
const RECORDS = [
  ['www', 'A', '192.0.2.1'],
  ['www', 'A', '192.0.2.2'],
  ['www', 'AAAA', '2001:db8::1'],
  ['@', 'CAA', '0 issue "ca.example"'],
  ['ftp', 'CNAME', 'www.moved.test', 'www.moved.test.'],
  ['sub', 'NS', 'ns.sub.moved.test', 'ns.sub.moved.test.'],
  ['sub', 'DS', `12345 13 2 ${HASH}`],
  ['ns.sub', 'A', '192.0.2.53'],
  ['@', 'HTTPS', '1 . alpn="h2,h3" ipv4hint=192.0.2.1'],
  ['alias', 'HTTPS', '0 www.moved.test', '0 www.moved.test.'],
  ['@', 'MX', 'mail.example.net', '10 mail.example.net.'],
  ['nomail', 'MX', '.', '0 .'],
  ['10', 'PTR', 'host.example.net', 'host.example.net.'],
  ['_sip._tcp', 'SRV', '10 60 5060 sip.example.net', '10 60 5060 sip.example.net.'],
  ['_443._tcp.www', 'TLSA', `3 1 1 ${HASH}`],
  ['*.dev', 'TXT', '"one" "two"'],
  ['deep.empty.between', 'TXT', 'v=spf1 -all', '"v=spf1 -all"'],
] as const;

let verifier: string;
let port: number;
let secondServer: Part;

beforeAll(async () => {
  // Installs ldns if the machine permits it; otherwise the test fails with the command to run.
  const tools = [{ command: 'ldns-verify-zone', package: 'ldnsutils' }];
  verifier = (await ensureTools(tools, { progress: () => {}, signal }))['ldns-verify-zone'] as string;
  ({ port } = await allocatePorts([{ name: 'port', dns: true }], { stateDir }));
  const folder = join(stateDir, 'powerdns');
  await mkdir(folder);
  const conf = join(folder, 'pdns.conf');
  const serving = await readFile(join(service.powerdnsFolder, 'pdns.conf'), 'utf8');
  await writeFile(conf, serving, { mode: 0o600 });
  // If a setting occurs twice, the last one counts.
  await appendFile(conf, `local-port=${port}\nsocket-dir=${folder}\ndisable-axfr=no\nallow-axfr-ips=127.0.0.1\n`);
  const { pdnsServer: command } = inject('tools');
  const args = [`--config-dir=${folder}`];
  secondServer = startProcess({ name: 'powerdns', command, args, logFile: join(folder, 'powerdns.log') });
  const question = { name: 'up.invalid', type: 'SOA' } as const;
  await waitFor(
    async (limit) => {
      await ask({ address: '127.0.0.1', port }, question, { timeoutMs: 500, signal: limit });
      return true;
    },
    { what: 'the second PowerDNS', timeoutMs: LIMIT_MS, intervalMs: 50, part: secondServer, signal },
  );
});
afterAll(() => secondServer?.stop());

interface Line {
  owner: string;
  ttl: string;
  type: string;
  data: string;
}

/** All records of the zone, as a zone file that ldns reads too. */
async function transfer(zone: string): Promise<{ text: string; lines: Line[] }> {
  const args = ['@127.0.0.1', '-p', String(port), '+noall', '+answer', '+onesoa', zone, 'AXFR'];
  const { out } = await runCommand({ command: inject('tools').dig, args, timeoutMs: LIMIT_MS, signal });
  const lines = out.split('\n').flatMap((line) => {
    const [, owner, ttl, type, data] = /^(\S+)\s+(\d+)\s+IN\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return owner && ttl && type && data ? { owner: owner.replace(/\.$/, ''), ttl, type, data } : [];
  });
  return { text: out, lines };
}

const sorted = (lines: readonly string[]) => [...lines].sort();
const spelled = (type: string, data: string) => {
  // dig prints hashes in capitals and in parts, and SvcParams with or without quotes.
  if (['DS', 'TLSA'].includes(type)) return data.toLowerCase().replace(/([0-9a-f]{32,}) (?=[0-9a-f])/g, '$1');
  return type === 'HTTPS' ? data.replaceAll('"', '') : data;
};

test('a transfer of all 13 types contains exactly the records of the list, and verifies as a signed zone', async () => {
  const zone = await service.zone('moved.test');
  for (const [name, type, content] of RECORDS) {
    await service.record(zone, name, type, content, type === 'MX' && content === '.' ? { priority: 0 } : {});
  }
  const child = await service.zone('child.moved.test');
  // A record below a delegation to another server is not part of this zone.
  await service.zone('deep.sub.moved.test');
  await service.record(zone, 'lb', 'ALIAS', 'pool.example.net', { ttl: 60 });
  await service.sql`
    update alias_answers set ipv4 = ${['192.0.2.80']}, ipv6 = ${['2001:db8::80']}, ttl = 300 where target = 'pool.example.net.'`;

  const { text, lines } = await transfer('moved.test');
  const own = new Set(['SOA', 'RRSIG', 'NSEC', 'DNSKEY', 'CDS', 'CDNSKEY', 'NSEC3PARAM']);
  const found = lines.filter(({ type }) => !own.has(type));
  const absolute = (name: string) => (name === '@' ? 'moved.test' : `${name}.moved.test`);
  const { records } = (await service.request('GET', `/zones/${zone.id}/records`)).body;
  const listed = (records as { name: string; type: string; content: string }[]).map(
    ({ name, type, content }) => `${name} ${type} ${content}`,
  );
  const sent = RECORDS.map(([name, type, content]) => `${name} ${type} ${content}`);
  expect(sorted(listed)).toEqual(sorted([...sent, 'lb ALIAS pool.example.net']));
  const wanted = [
    ...RECORDS.map(([name, type, sent, file = sent]) => `${absolute(name)} 3600 ${type} ${spelled(type, file)}`),
    'lb.moved.test 60 A 192.0.2.80',
    'lb.moved.test 60 AAAA 2001:db8::80',
    ...['moved.test', 'child.moved.test'].flatMap((owner) => NAMESERVERS.map((host) => `${owner} 3600 NS ${host}.`)),
    ...child.ds.map(
      (ds) => `child.moved.test 3600 DS ${ds.keyTag} ${ds.algorithm} ${ds.digestType} ${ds.digest.toLowerCase()}`,
    ),
  ];
  expect(sorted(found.map(({ owner, ttl, type, data }) => `${owner} ${ttl} ${type} ${spelled(type, data)}`))).toEqual(
    sorted(wanted),
  );
  const serial = (await service.request('GET', `/zones/${zone.id}`)).body.serial;
  const soa = lines.filter(({ type }) => type === 'SOA');
  expect(soa).toMatchObject([{ owner: 'moved.test', data: expect.stringContaining(` ${serial} `) }]);
  for (const type of ['DNSKEY', 'CDS', 'CDNSKEY']) expect(lines.map((line) => line.type)).toContain(type);
  expect(await verify(text)).toMatch(/Zone is verified and complete/);
  // The verification can fail: one more address without a signature.
  expect(await verify(`${text}\nwww.moved.test. 3600 IN A 192.0.2.99\n`)).not.toMatch(/verified and complete/);
});

test('each RRset of a transfer has one TTL, the lowest of its records (RFC 2181 section 5.2)', async () => {
  const zone = await service.zone('mixed.test');
  await service.record(zone, 'www', 'A', '192.0.2.1', { ttl: 600 });
  await service.record(zone, 'www', 'A', '192.0.2.2', { ttl: 120 });
  await service.record(zone, 'www', 'A', '192.0.2.3');
  await service.record(zone, 'www', 'TXT', 'another set', { ttl: 60 });
  const { lines } = await transfer('mixed.test');
  const found = lines.filter(({ owner, type }) => owner === 'www.mixed.test' && (type === 'A' || type === 'TXT'));
  expect(sorted(found.map(({ ttl, type, data }) => `${ttl} ${type} ${data}`))).toEqual([
    '120 A 192.0.2.1',
    '120 A 192.0.2.2',
    '120 A 192.0.2.3',
    '60 TXT "another set"',
  ]);
});

test('the transfer of a parked zone has its apex and the delegations of hosted zones, and verifies', async () => {
  const zone = await service.zone('still.test');
  await service.record(zone, 'www', 'A', '192.0.2.1');
  await service.zone('child.still.test');
  await service.request('POST', `/zones/${zone.id}/park`);
  const { text, lines } = await transfer('still.test');
  const names = new Set(lines.map(({ owner }) => owner));
  expect(sorted([...names])).toEqual(['child.still.test', 'still.test']);
  expect(await verify(text)).toMatch(/Zone is verified and complete/);
});

/** The verdict of ldns on a signed zone. */
async function verify(text: string): Promise<string> {
  const file = join(stateDir, 'zone');
  await writeFile(file, text);
  const { tail } = await runCommand({ command: verifier, args: ['-V', '3', file], timeoutMs: LIMIT_MS, signal });
  return tail;
}
