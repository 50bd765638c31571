// The peers of the benchmark of health checks: gdnsd, and PowerDNS with Lua records, as Debian packages them.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { ensureTools } from '../../deploy/local/parts/apt.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { startProcess } from '../../deploy/local/parts/process.ts';
import { ensurePowerDns } from './powerdns.ts';
import { type Bench, print } from './support.ts';

interface Named {
  name: string;
  addresses: readonly string[];
}

interface Peer {
  dns: ProbeEndpoint;
  stop(): Promise<unknown>;
}

type Setting = 'best' | 'default';

const SOA = 'ns1 hostmaster 1 7200 1800 259200 60';

/** @param port that of the servers */
export async function startGdnsd(
  bench: Bench,
  zone: string,
  port: number,
  names: readonly Named[],
  setting: Setting,
): Promise<Peer> {
  const { folder, dns } = await prepare(bench, `gdnsd-${setting}`);
  const fast =
    setting === 'best' ? 'interval => 2, timeout => 1, up_thresh => 1, ok_thresh => 1, down_thresh => 1' : '';
  const resources = names.map(({ name, addresses }) => {
    const list = addresses.map((address, at) => `a${at} => ${address}`).join(', ');
    return `${name} => { service_types => web, ${list} }`;
  });
  const config = `
options => { listen => [ 127.0.0.1:${dns.port} ], run_dir => ${folder}/run, state_dir => ${folder}/state }
service_types => { web => { plugin => tcp_connect, port => ${port}, ${fast} } }
plugins => { multifo => { ${resources.join('\n')} } }
`;
  const records = names.map(({ name }) => `${name} 60 DYNA multifo!${name}`);
  for (const each of ['run', 'state', 'zones']) await mkdir(join(folder, each), { recursive: true });
  await writeFile(join(folder, 'config'), config);
  const head = [`@ 60 SOA ${SOA}`, '@ 60 NS ns1', 'ns1 60 A 127.0.0.1'];
  await writeFile(join(folder, 'zones', zone), [...head, ...records, ''].join('\n'));
  const found = await ensureTools([{ command: 'gdnsd', package: 'gdnsd' }], { progress: print, signal: bench.signal });
  return start(bench, dns, { name: 'gdnsd', command: found.gdnsd as string, args: ['-c', folder, 'start'], folder });
}

/** @param port that of the servers */
export async function startLuaPowerDns(
  bench: Bench,
  zone: string,
  port: number,
  names: readonly Named[],
  setting: Setting,
): Promise<Peer> {
  const { folder, dns } = await prepare(bench, `powerdns-${setting}`);
  const records = names.map(({ name, addresses }) => {
    const list = addresses.map((address) => `'${address}'`).join(', ');
    return `${name} 60 IN LUA A "ifportup(${port}, {${list}}, {selector='all'})"`;
  });
  const head = [`$ORIGIN ${zone}.`, `@ 60 IN SOA ${SOA}`, '@ 60 IN NS ns1', 'ns1 60 IN A 127.0.0.1'];
  await writeFile(join(folder, 'zone'), [...head, ...records, ''].join('\n'));
  await writeFile(join(folder, 'named.conf'), `zone "${zone}" { type native; file "${join(folder, 'zone')}"; };\n`);
  const settings = {
    launch: 'bind',
    'bind-config': join(folder, 'named.conf'),
    'local-address': dns.address,
    'local-port': dns.port,
    'socket-dir': folder,
    'security-poll-suffix': '',
    'enable-lua-records': 'yes',
    ...(setting === 'best' ? { 'lua-health-checks-interval': 1 } : {}),
    daemon: 'no',
    guardian: 'no',
    'write-pid': 'no',
    loglevel: 3,
  };
  const text = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(folder, 'pdns.conf'), text.join(''));
  const options = { progress: print, signal: bench.signal };
  await ensureTools([{ file: '/usr/lib/*/pdns/libbindbackend.so', package: 'pdns-backend-bind' }], options);
  const command = await ensurePowerDns(options);
  return start(bench, dns, { name: 'PowerDNS', command, args: [`--config-dir=${folder}`], folder });
}

async function prepare({ stateDir }: Bench, name: string): Promise<{ folder: string; dns: ProbeEndpoint }> {
  const folder = join(stateDir, name);
  await mkdir(folder, { recursive: true });
  const { port } = await allocatePorts([{ name: 'port', dns: true }], { stateDir: folder });
  return { folder, dns: { address: '127.0.0.1', port: port as number } };
}

function start(
  { atEnd }: Bench,
  dns: ProbeEndpoint,
  { name, command, args, folder }: { name: string; command: string; args: string[]; folder: string },
): Peer {
  const part = startProcess({ name, command, args, logFile: join(folder, 'log') });
  atEnd(() => part.stop());
  return { dns, stop: () => part.stop() };
}
