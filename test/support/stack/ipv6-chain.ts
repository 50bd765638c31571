// The whole chain in a network without IPv4, as a program of its own: e2e/ipv6-only.test.ts starts it in a network
// namespace. It prints one JSON line for each step, and ends everything that it started.
//
// Arguments: a folder for the state, the program `zonestead`, and the programs dig, delv,
// nsupdate, nsd and named.
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatHostPort } from '#base/address.ts';
import { createClient } from '#client/client.ts';
import { fetchZones } from '#client/lists.ts';
import { listDsRecords } from '#contract/operations/zones.ts';
import { bindConfig } from '#dns/secondaries/bind-config.ts';
import { catalogName } from '#dns/secondaries/catalog.ts';
import { nsdConfig } from '#dns/secondaries/nsd-config.ts';
import { adminMintKey } from '#service/credentials/administration.ts';
import { adminPutSecondary } from '#service/secondaries/administration.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import type { Part } from '../../../deploy/local/parts/part.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { removePostgresState } from '../../../deploy/local/parts/postgres.ts';
import { startSecondary } from '../../../deploy/local/parts/secondary.ts';
import { startStack } from '../../../deploy/local/stack.ts';

const [stateDir = '', main = '', dig = '', delv = '', nsupdate = '', nsd = '', named = ''] = process.argv.slice(2);
const ZONE = 'chain.example';
const { signal } = new AbortController();
const LIMIT_MS = 120_000;

const say = (step: string, seen: unknown) => process.stdout.write(`${JSON.stringify({ step, seen })}\n`);
const run = async (command: string, args: string[]) => {
  const { out, tail } = await runCommand({ command, args, timeoutMs: LIMIT_MS, signal });
  return `${out}${out === '' ? tail : ''}`.trim();
};
const ask = (at: { address: string; port: number }, ...words: string[]) =>
  run(dig, [`@${at.address}`, '-p', String(at.port), '+short', ...words]);

/** Asks again until the answer is this one, and returns the last answer. */
async function askUntil(wanted: string, question: () => Promise<string>): Promise<string> {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const answer = await question();
    if (answer === wanted || Date.now() > end) return answer;
    await sleep(200);
  }
}

/** The parts of `[::1]:53`. */
function readHostPort(text: string): { address: string; port: number } {
  const [, address = '', port] = /^\[(.+)\]:(\d+)$/.exec(text) ?? [];
  return { address, port: Number(port) };
}

const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
say('machine', [...new Set(addresses.map(({ family }) => family))]);
const stack = await startStack({
  ...{ stateDir, main, signal, limits: false, certManager: true, durable: false },
  progress: (text) => process.stderr.write(`${text}\n`),
});
const secondaries: Part[] = [];
const { service, cluster } = stack;
const client = createClient({ baseUrl: service.url, key: service.keys.first.key });
try {
  say('addresses', [service.url, formatHostPort(service.dns.address, service.dns.port), service.updates]);
  const ports = await allocatePorts(
    [
      { name: 'nsd', dns: true },
      { name: 'bind', dns: true },
    ],
    { stateDir },
  );
  const apply = async (...items: object[]) => {
    const file = join(stateDir, 'objects.json');
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    return cluster.kubectl(['apply', '-f', file]);
  };
  const wait = (...names: string[]) =>
    cluster.kubectl(['wait', '--for=condition=Ready', '--timeout=110s', ...names]).catch(String);
  const record = (name: string, type: string, content: string) => ({
    ...{ apiVersion: 'zonestead.dev/v1alpha1', kind: 'DNSRecord' },
    metadata: { name: `${name}-${type.toLowerCase()}`, namespace: 'default' },
    spec: { zoneRef: { name: 'chain' }, name, type, content, ttl: 60 },
  });
  await apply(
    {
      ...{ apiVersion: 'zonestead.dev/v1alpha1', kind: 'DNSZone' },
      metadata: { name: 'chain', namespace: 'default' },
      spec: { zoneName: ZONE, acme: {} },
    },
    record('www', 'A', '192.0.2.1'),
    record('www', 'AAAA', '2001:db8::1'),
  );
  say('ready', await wait('zdz/chain', 'zdr/www-a', 'zdr/www-aaaa'));
  say('udp', await ask(service.dns, `www.${ZONE}`, 'AAAA'));
  say('tcp', await ask(service.dns, '+tcp', `www.${ZONE}`, 'A'));

  const [zone] = await fetchZones(client, { zoneName: ZONE });
  const [ds] = (await client.call(listDsRecords, { params: { id: zone?.id ?? '' } })).ds;
  const anchor = join(stateDir, 'anchor');
  const digest = `${ds?.keyTag} ${ds?.algorithm} ${ds?.digestType} "${ds?.digest}"`;
  await writeFile(anchor, `trust-anchors { ${ZONE}. static-ds ${digest}; };\n`);
  const place = [`@${service.dns.address}`, '-p', String(service.dns.port)];
  say('validated', await run(delv, [...place, '-a', anchor, `+root=${ZONE}`, `www.${ZONE}`, 'AAAA']));

  for (const kind of ['nsd', 'bind'] as const) {
    const at = { address: service.dns.address, port: ports[kind] };
    const input = {
      name: kind,
      addresses: [formatHostPort(at.address, at.port)],
      zones: 'all' as const,
    };
    const { key } = await adminPutSecondary(service.databaseUrl, input, randomBytes, new Date());
    const folder = join(stateDir, kind);
    await mkdir(folder);
    const server =
      kind === 'nsd'
        ? { name: kind, command: nsd, args: ['-d', '-u', '', '-c'] }
        : { name: kind, command: named, args: ['-f', '-c'] };
    const view = { primaries: [service.dns], key, zones: kind === 'nsd' ? [ZONE] : null, catalog: catalogName(kind) };
    const write = { nsd: nsdConfig, bind: bindConfig }[kind];
    const config = write(view, { listen: [at], folder });
    secondaries.push(await startSecondary({ server, config, folder, ...at, signal }));
    say(`${kind} transfer`, await askUntil('2001:db8::1', () => ask(at, `www.${ZONE}`, 'AAAA')));
  }
  await apply(record('www', 'AAAA', '2001:db8::2'));
  for (const kind of ['nsd', 'bind'] as const) {
    const at = { address: service.dns.address, port: ports[kind] };
    say(`${kind} change`, await askUntil('2001:db8::2', () => ask(at, `www.${ZONE}`, 'AAAA')));
  }

  const terms = { name: 'updates', records: 'write' as const, networks: ['::1/128'], tsig: 'hmac-sha256' as const };
  const key = await adminMintKey(service.databaseUrl, { team: 'first' }, terms, randomBytes, new Date());
  const { address: server, port } = readHostPort(service.updates ?? '');
  const update = async (content: string, secret: string) => {
    const commands = join(stateDir, 'update');
    const text = [
      `server ${server} ${port}`,
      `key hmac-sha256:${key.tsig?.name} ${secret}`,
      `zone ${ZONE}`,
      `update add moved.${ZONE} 60 AAAA ${content}`,
      'send',
    ];
    await writeFile(commands, `${text.join('\n')}\n`);
    return run(nsupdate, ['-v', commands]);
  };
  say('refused update', await update('2001:db8::66', Buffer.alloc(32).toString('base64')));
  await update('2001:db8::7', key.tsig?.secret ?? '');
  say('update', await askUntil('2001:db8::7', () => ask(service.dns, `moved.${ZONE}`, 'AAAA')));

  const dynamic = await fetch(`${service.url}/nic/update?hostname=home.${ZONE}&myip=2001:db8::8,::ffff:192.0.2.8`, {
    headers: { authorization: `Basic ${Buffer.from(`router:${key.text}`).toString('base64')}` },
  });
  say('dyndns2', (await dynamic.text()).trim());

  await apply({
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { name: 'chain', namespace: 'default' },
    spec: {
      secretName: 'chain-tls',
      dnsNames: [`www.${ZONE}`],
      issuerRef: { kind: 'ClusterIssuer', name: 'zonestead' },
    },
  });
  say('certificate', await wait('certificate/chain'));
} finally {
  await client.close();
  await Promise.all(secondaries.map((part) => part.stop()));
  await stack.stop();
  await removePostgresState(stateDir);
}
