// `zonestead nodes …`: an administrator of the service lists the name servers that follow the feed.

import { randomBytes } from 'node:crypto';
import { dropUnprintable } from '#base/printable.ts';
import { adminCompareNodes, adminForgetNode, adminListNodes } from '#service/nodes/administration.ts';
import { type Output, show } from '../output.ts';
import { table } from '../table.ts';

type Print = (line: string) => void;
type Config = { DATABASE_URL: string };
type Listed = Awaited<ReturnType<typeof adminListNodes>>[number];

export async function runNodesList(config: Config, output: Output): Promise<void> {
  const nodes = await adminListNodes(config.DATABASE_URL);
  const rows = nodes.map((node) => [
    node.name,
    node.engine,
    stateOf(node),
    `${seconds(node.age)} ago`,
    node.lagSeconds === null ? 'no list yet' : seconds(node.lagSeconds),
    String(node.zones),
    String(node.failingCount),
  ]);
  await show(output, { nodes }, () => {
    table(['NODE', 'ENGINE', 'STATE', 'REPORT', 'LAG', 'ZONES', 'FAILING'], rows, output.print);
    for (const { name, failing } of nodes)
      for (const { id, error } of failing) output.print(dropUnprintable(`${name}: ${id}: ${error}`));
  });
}

export async function runNodesCompare(config: Config, print: Print): Promise<void> {
  const { token, living } = await adminCompareNodes(config.DATABASE_URL, randomBytes, new Date());
  print(`comparison ${token}: the next report of each name server asks it to begin (${living} report now)`);
}

/** @throws Error if the node is not known, or still reports */
export async function runNodesForget(config: Config, name: string, print: Print): Promise<void> {
  const forgotten = await adminForgetNode(config.DATABASE_URL, name);
  if (forgotten === 0)
    throw new Error(
      `no silent node has the name "${name}". A node is silent when it has not reported for 30 s; zonestead nodes list shows all`,
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
