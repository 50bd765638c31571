// `zonestead admin nodes …`: the name servers that follow the feed, over the database of the service.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { dropUnprintable } from '#base/printable.ts';
import type { adminListNodes } from '#service/nodes/administration.ts';
import type { CommandGroup } from '../command.ts';
import { confirm } from '../confirm.ts';
import { CREATE_TEAM_OPTION, DRY_RUN_OPTION, sayer, YES_OPTION, type YesOption } from '../options.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';
import { table } from '../table.ts';
import { type Administration, describeAdminCommand, outputOf } from './command.ts';

type Listed = Awaited<ReturnType<typeof adminListNodes>>[number];

const load = () => import('#service/nodes/administration.ts');

const list = describeAdminCommand({
  name: 'list',
  describe: 'list the name servers that reported within a day',
  options: [OUTPUT_OPTION],
  run: (administration, _args, options: OutputOption) => listNodes(administration, options),
});

const compare = describeAdminCommand({
  name: 'compare',
  describe: 'ask every name server to compare all its zones with the api, and to correct what differs',
  run: async ({ url, print }) => {
    const { adminCompareNodes } = await load();
    const { token, living } = await adminCompareNodes(url, randomBytes, new Date());
    print(`comparison ${token}: the next report of each name server asks it to begin (${living} report now)`);
  },
});

const acceptRemovals = describeAdminCommand({
  name: 'accept-removals',
  describe: 'let the name servers remove the zones that they hold and the database lacks, with their DNSSEC keys',
  options: [YES_OPTION],
  notes: 'These keys exist nowhere else. "admin nodes salvage" brings zones and keys back into the database.',
  run: (administration, _args, options: YesOption) => letZonesGo(administration, options),
});

const salvage = describeAdminCommand({
  name: 'salvage',
  encrypts: true,
  describe: 'bring back zones that only the name servers have, with their records and DNSSEC keys',
  options: [
    { flags: '--zone <name>', describe: 'zone to bring back', value: 'list' },
    { flags: '--all', describe: 'bring back every zone that the name servers hold and the database lacks' },
    {
      flags: '--owner <team>',
      describe:
        'team that gets the zones, by name or id (default: the owner that the service gave to the name servers)',
    },
    CREATE_TEAM_OPTION,
    { flags: '--node <name>', describe: 'use only the copy of this name server' },
    DRY_RUN_OPTION,
    { flags: '--yes', describe: 'bring back all zones without a question' },
  ],
  notes:
    'Give --zone or --all. A zone keeps its id and its key, and gets a later serial. Owners of records, comments and the targets of ALIAS records do not come back; the records of a parked zone do not either.',
  run: (administration, _args, options: SalvageChoice) => salvageZones(administration, options),
});

const forget = describeAdminCommand({
  name: 'forget',
  describe: 'forget a name server that was removed, so that no alert waits for it',
  arguments: [{ usage: '<name>', describe: 'name of the node' }],
  run: (administration, [name = '']) => forgetNode(administration, name),
});

export const nodes: CommandGroup = {
  name: 'nodes',
  describe: 'list, compare and forget name servers, bring back zones from them, and accept removals',
  commands: [list, compare, salvage, acceptRemovals, forget],
};

async function listNodes(administration: Administration, options: OutputOption): Promise<void> {
  const { url, print } = administration;
  const { adminListNodes } = await load();
  const listed = await adminListNodes(url);
  const rows = listed.map((node) => [
    node.name,
    node.engine,
    stateOf(node),
    `${seconds(node.age)} ago`,
    node.lagSeconds === null ? 'no list yet' : seconds(node.lagSeconds),
    String(node.zones),
    String(node.failingCount),
    String(node.held?.count ?? 0),
  ]);
  await show(outputOf(administration, options), { nodes: listed }, () => {
    table(['NODE', 'ENGINE', 'STATE', 'REPORT', 'LAG', 'ZONES', 'FAILING', 'HELD'], rows, print);
    for (const { name, failing } of listed)
      for (const { id, error } of failing) print(dropUnprintable(`${name}: ${id}: ${error}`));
    for (const { name, held } of listed) printHeld(name, held, print);
  });
}

function printHeld(node: string, held: Listed['held'], print: Administration['print']): void {
  if (held === null) return;
  const { count, zones } = held;
  for (const { name, since } of zones)
    print(dropUnprintable(`${node}: holds ${name} since ${since}: the list of the api lacks it`));
  if (count > zones.length) print(`${node}: holds ${count - zones.length} more`);
}

async function letZonesGo({ url, print, signal }: Administration, options: YesOption): Promise<void> {
  const { adminAcceptRemovals, adminReadHeld } = await load();
  const { names, count, living } = await adminReadHeld(url);
  for (const name of names) print(dropUnprintable(name));
  if (count > names.length) print(`and ${count - names.length} more`);
  const zones = count === 1 ? '1 zone with its DNSSEC key' : `${count} zones with their DNSSEC keys`;
  const effect = `the name servers (${living} report now) remove ${zones}`;
  await confirm(`${effect}; these keys exist nowhere else`, options, signal);
  await adminAcceptRemovals(url, new Date());
  print(`accepted: the next report of each name server asks it to remove ${zones}`);
}

interface SalvageChoice extends YesOption {
  zone?: string[];
  all?: boolean;
  owner?: string;
  createTeam?: boolean;
  node?: string;
  dryRun?: boolean;
}

/**
 * @returns the exit code: 1 if a zone could not be brought back
 * @throws Error if the options do not say which zones
 */
async function salvageZones(administration: Administration, options: SalvageChoice): Promise<number> {
  const { url, keyring, print, signal } = administration;
  const { zone: named = [], all = false, ...choice } = options;
  if (all === named.length > 0) throw new Error('give --zone for each zone, or --all');
  const say = sayer(print, options);
  const { adminSalvageZones } = await import('#service/nodes/salvage.ts');
  const counts = { salvaged: 0, present: 0, failed: 0 };
  const seen = new Set<string>();
  const run = (names: readonly string[]) =>
    adminSalvageZones(
      url,
      names,
      { ...choice, keyring },
      ({ zone, outcome, text }) => {
        counts[outcome] += 1;
        seen.add(zone);
        say(`${zone}: ${OUTCOMES[outcome]}${text}`);
      },
      signal,
    );
  if (all) await salvageHeld(administration, options, seen, run);
  else await run(named);
  const { salvaged, present, failed } = counts;
  say(`${salvaged} zones brought back, ${present} there already, ${failed} not brought back`);
  return failed === 0 ? 0 : 1;
}

const OUTCOMES = { salvaged: 'brought back, with ', present: 'not changed: ', failed: 'not brought back: ' } as const;

/** A report names some of the zones of a node: when they are back, the next report names the others. */
async function salvageHeld(
  { url, print, signal }: Administration,
  options: SalvageChoice,
  seen: ReadonlySet<string>,
  run: (names: readonly string[]) => Promise<void>,
): Promise<void> {
  const { adminReadHeld } = await load();
  const first = await adminReadHeld(url);
  if (first.count === 0)
    return print(`no name server holds a zone that the database lacks (${first.living} report now)`);
  for (const name of first.names) print(dropUnprintable(name));
  if (first.count > first.names.length) print(`and ${first.count - first.names.length} more`);
  const effect = `this brings back ${first.count} zones with their DNSSEC keys, as the name servers have them`;
  if (!options.dryRun) await confirm(effect, options, signal);
  for (let names = first.names; names.length > 0; ) {
    await run(names);
    // The nodes report again within a second that the zones are back.
    if (!options.dryRun) await sleep(REPORTED_MS, undefined, { signal });
    names = options.dryRun ? [] : (await adminReadHeld(url)).names.filter((name) => !seen.has(name));
  }
}

const REPORTED_MS = 3_000;

/** @throws Error if the node is not known, or still reports */
async function forgetNode({ url, print }: Administration, name: string): Promise<void> {
  const { adminForgetNode } = await load();
  const forgotten = await adminForgetNode(url, name);
  if (forgotten === 0)
    throw new Error(
      `no silent node has the name "${name}". A node is silent when it has not reported for 30 s; zonestead admin nodes list shows all`,
    );
  print(`forgot ${name}`);
}

function stateOf({ isLiving, isDuplicate, isLeft }: Listed): string {
  if (isDuplicate) return 'duplicate';
  if (isLeft) return 'left';
  return isLiving ? 'living' : 'silent';
}

function seconds(value: number): string {
  if (value < 120) return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
  return value < 7_200 ? `${Math.round(value / 60)} min` : `${Math.round(value / 3_600)} h`;
}
