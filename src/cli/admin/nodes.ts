// `zonestead admin nodes …`: the name servers that follow the feed, over the database of the service.
import { randomBytes } from 'node:crypto';
import { dropUnprintable } from '#base/printable.ts';
import type { adminListNodes } from '#service/nodes/administration.ts';
import type { CommandGroup } from '../command.ts';
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

const forget = describeAdminCommand({
  name: 'forget',
  describe: 'forget a name server that was removed, so that no alert waits for it',
  arguments: [{ usage: '<name>', describe: 'name of the node' }],
  run: (administration, [name = '']) => forgetNode(administration, name),
});

export const nodes: CommandGroup = {
  name: 'nodes',
  describe: 'list, compare and forget name servers',
  commands: [list, compare, forget],
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
  ]);
  await show(outputOf(administration, options), { nodes: listed }, () => {
    table(['NODE', 'ENGINE', 'STATE', 'REPORT', 'LAG', 'ZONES', 'FAILING'], rows, print);
    for (const { name, failing } of listed)
      for (const { id, error } of failing) print(dropUnprintable(`${name}: ${id}: ${error}`));
  });
}

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

function stateOf({ isLiving, isDuplicate }: Listed): string {
  if (isDuplicate) return 'duplicate';
  return isLiving ? 'living' : 'silent';
}

function seconds(value: number): string {
  if (value < 120) return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
  return value < 7_200 ? `${Math.round(value / 60)} min` : `${Math.round(value / 3_600)} h`;
}
