// Sources and secondaries for tests of zone transfers: a signing knotd as a node configures it, and Knot, BIND and NSD
// as secondaries with the configurations that Zonestead generates.
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import { bindConfig } from '#dns/secondaries/bind-config.ts';
import { knotConfig } from '#dns/secondaries/knot-config.ts';
import { nsdConfig } from '#dns/secondaries/nsd-config.ts';
import type { PrimaryView } from '#dns/secondaries/primary.ts';
import { applyTransferItems } from '#nameserver/knot/apply-secondaries.ts';
import { type TransferWish, transferItems } from '#nameserver/knot/secondaries.ts';
import { ask } from '#nameserver/probe/probe.ts';
import { serialOfSoa } from '#nameserver/probe/rdata.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import type { KnotOptions, KnotPrograms } from '../../../deploy/local/parts/knot.ts';
import type { Part } from '../../../deploy/local/parts/part.ts';
import { type SecondaryServer, startSecondary } from '../../../deploy/local/parts/secondary.ts';
import { createResolver, type Resolver } from '../dns/resolver.ts';
import { temporaryFolder } from '../runner/temporary.ts';
import { type TestKnot, testKnot } from './knot.ts';

const { signal } = new AbortController();
const ADDRESS = '127.0.0.1';

/** One key for all zones of a file, so that two nodes sign with the same. */
export const CSK = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string;

export interface Source extends TestKnot {
  resolver: Resolver;
  configure(wish: TransferWish): Promise<number>;
  /** Adds a signed zone with an NS, and `www` and these names as addresses. */
  add(zone: string, serial: number, names?: readonly string[]): Promise<void>;
  /** Replaces the address of a name. */
  change(zone: string, serial: number, name: string, address: string): Promise<void>;
  remove(zone: string): Promise<void>;
}

/**
 * @param own as for testKnot
 * @param place.programs (Default: those of the run.)
 */
export async function startSource(
  own?: string,
  { programs = inject('knot'), settings }: { programs?: KnotPrograms; settings?: KnotOptions['settings'] } = {},
): Promise<Source> {
  const folder = await temporaryFolder('source');
  const knot = await testKnot(settings, undefined, { programs, ...(own === undefined ? {} : { own }) });
  const pem = join(folder, 'key.pem');
  await writeFile(pem, CSK, { mode: 0o600 });
  const commit = (zone: string, commands: readonly (readonly [string, Record<string, string>])[]) =>
    knot.control.session(async ({ run }) => {
      await run('zone-begin', { zone });
      await Promise.all(commands.map(([command, args]) => run(command, { zone, ...args })));
      await run('zone-commit', { zone });
    });
  const soa = (serial: number) =>
    [
      'zone-set',
      { owner: '@', ttl: '300', type: 'SOA', data: `ns1.test. admin.test. ${serial} 3600 600 1209600 60` },
    ] as const;
  const set = (owner: string, type: string, data: string) => ['zone-set', { owner, ttl: '60', type, data }] as const;
  return Object.assign(knot, {
    resolver: createResolver({ address: ADDRESS, port: knot.port }, folder),
    configure: (wish: TransferWish) => applyTransferItems(knot.control, transferItems(wish), signal),
    add: async (zone: string, serial: number, names: readonly string[] = []) => {
      const args = [
        '-C',
        knot.folder.confdb,
        zone,
        'import-pem',
        pem,
        'algorithm=ecdsap256sha256',
        'ksk=yes',
        'zsk=yes',
      ];
      const { code, tail } = await runCommand({ command: programs.keymgr, args, timeoutMs: 60_000, signal });
      if (code !== 0) throw new Error(tail);
      await knot.control.session(async ({ run }) => {
        await run('conf-begin');
        await run('conf-set', { section: 'zone', item: 'domain', data: zone });
        await run('conf-commit');
      });
      await commit(zone, [
        soa(serial),
        set('@', 'NS', 'ns1.test.'),
        ...['www', ...names].map((name) => set(name, 'A', '192.0.2.1')),
      ]);
    },
    change: (zone: string, serial: number, name: string, address: string) =>
      commit(zone, [
        ['zone-unset', { owner: '@', type: 'SOA' }],
        soa(serial),
        ['zone-unset', { owner: name, type: 'A' }],
        set(name, 'A', address),
      ]),
    remove: async (zone: string) => {
      await knot.control.session(async ({ run }) => {
        await run('zone-purge', { zone });
        await run('conf-begin');
        await run('conf-unset', { section: 'zone', id: zone });
        await run('conf-commit');
      });
    },
  });
}

export type Kind = 'knot' | 'bind' | 'nsd';

export interface RunningSecondary {
  kind: Kind;
  port: number;
  resolver: Resolver;
  part: Part;
  log(): Promise<string>;
  stop(): Promise<void>;
  /** Starts it again with its data. */
  start(): Promise<void>;
}

const CONFIGS = { knot: knotConfig, bind: bindConfig, nsd: nsdConfig };

/** @param own its program. (Default: that of the run.) */
export async function startRunning(
  kind: Kind,
  port: number,
  view: PrimaryView,
  own?: SecondaryServer,
): Promise<RunningSecondary> {
  const folder = join(await temporaryFolder(kind), 'data');
  await mkdir(folder);
  const server =
    own ??
    (kind === 'knot' ? { name: 'knot', command: inject('knot').knotd, args: ['-c'] } : inject('secondaries')[kind]);
  const config = CONFIGS[kind](view, { listen: [{ address: ADDRESS, port }], folder });
  const start = () => startSecondary({ server, config, folder, address: ADDRESS, port, signal });
  const running: RunningSecondary = {
    kind,
    port,
    part: await start(),
    resolver: createResolver({ address: ADDRESS, port }, folder),
    log: () => readFile(running.part.logFile, 'utf8'),
    stop: () => running.part.stop({ signal: 'SIGKILL' }),
    start: async () => {
      // A PID file that was left stops knotd while another process has that id.
      await rm(join(folder, 'knot.pid'), { force: true });
      running.part = await start();
    },
  };
  afterAll(() => running.part.stop());
  return running;
}

/** The serial that the server answers; null if it does not serve the zone. */
export async function serialAt(port: number, zone: string): Promise<number | null> {
  const answer = await ask({ address: ADDRESS, port }, { name: zone, type: 'SOA' }, { signal });
  const soa = answer.answers[0];
  return answer.rcode === 0 && soa !== undefined ? serialOfSoa(soa.rdata) : null;
}

/** The output of dig for a transfer: the records, or `; Transfer failed.` */
export function transfer(
  port: number,
  zone: string,
  { key, from = ADDRESS, type = 'AXFR' }: { key?: string; from?: string; type?: string } = {},
): Promise<string> {
  const args = [`@${ADDRESS}`, '-p', String(port), '-b', from, '+time=30', '+tries=1', '+onesoa', zone, type];
  if (key !== undefined) args.push('-y', key);
  return runCommand({ command: inject('tools').dig, args, timeoutMs: 60_000, signal }).then(({ out }) => out);
}

/** The records of a transfer, as `name type data`, sorted. */
export function parseDigRecords(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(';') && !/\sTSIG\s/.test(line))
    .map((line) => line.split(/\s+/))
    .map(([name, , , type, ...data]) => `${name} ${type} ${data.join(' ')}`)
    .sort();
}
