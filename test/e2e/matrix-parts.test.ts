// The fault matrix, fourth part: the service's own parts are killed with -9 while objects are created, changed and deleted,
// and come back. Every part is a process of its own here, the operator included.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { NAMESERVER, type ServicePart } from '../../src/cli/up/service.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import { type Cell, cleanUp, consistent, newCell, WORKS } from '../support/matrix/cell.ts';
import { type Chain, callsOf } from '../support/matrix/chain.ts';
import { untilIs } from '../support/matrix/until.ts';
import { reasonOfReady } from '../support/matrix/world.ts';
import { createResolver } from '../support/resolver.ts';
import { startTestStack } from '../support/stack.ts';

const test = await startTestStack();
const folder = await mkdtemp(join(tmpdir(), 'zonestead-parts-'));
const { service, cluster } = test.stack;
const kube = await connectCluster({ kubeconfig: cluster.kubeconfig });
const sql = postgres(service.databaseUrl, { max: 2, onnotice: () => undefined });
const chain: Chain = {
  ...callsOf(kube.api),
  url: service.url,
  key: service.keys.operator.key,
  sql,
  dns: createResolver(service.dns, folder),
  nameservers: [NAMESERVER],
  client: test.client,
  api: kube.api,
  operatorKubeconfig: cluster.operatorKubeconfig,
};
afterAll(async () => {
  await sql.end();
  await kube.close();
  await test.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Outage {
  readonly part: ServicePart;
  /** What an object that is created meanwhile says of it. */
  readonly reason: string;
}

const OUTAGES: readonly Outage[] = [
  { part: 'api', reason: 'APIUnavailable' },
  { part: 'postgres', reason: 'API' },
  { part: 'powerdns', reason: 'AwaitingPropagation' },
];

describe.each(OUTAGES)('when $part is killed', ({ part, reason }) => {
  let cells: Cell[];
  beforeAll(async () => {
    cells = await Promise.all(
      WORKS.map(async (work) => {
        const cell = await newCell(chain);
        await work.given(chain, cell);
        await consistent(chain, cell, 'given');
        return cell;
      }),
    );
    await service.crew.part(part).stop({ signal: 'SIGKILL' });
    await Promise.all(WORKS.map((work, index) => work.act(chain, cells[index] as Cell)));
    const told = () => reasonOfReady(chain, cells[0] as Cell, 'zones');
    await untilIs('the object says so', told, (said) => said?.startsWith(reason) === true);
    await service.crew.start(part);
    // Its socket is a new one with every start.
    if (part === 'powerdns') {
      await service.crew.part('nameserver').stop();
      await service.crew.start('nameserver');
    }
  });

  it.each(WORKS.map((work, index) => ({ ...work, index })))(
    'while $title, all ends well',
    async ({ index, made, title }) => {
      const cell = cells[index] as Cell;
      cell.made = made;
      await consistent(chain, cell, title);
      await cleanUp(chain, cell);
    },
  );
});
