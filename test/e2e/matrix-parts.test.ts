// The fault matrix, fourth part: the service's own parts are killed with -9, objects are created, changed and deleted while they
// are away, and they come back. Every part is a process of its own here, the operator included; only the killed one is started
// again. Postgres writes durably, as in production.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectCluster } from '#kube/api/cluster.ts';
import type { NotReadyReason } from '#resources/reasons.ts';
import type { ServicePart } from '../../deploy/local/service.ts';
import {
  type Cell,
  CHANGING,
  CREATING,
  cleanUp,
  consistent,
  DELETING,
  newCell,
  type Work,
} from '../support/matrix/cell.ts';
import { type Chain, callsOf } from '../support/matrix/chain.ts';
import { measureHealing } from '../support/matrix/healing.ts';
import { untilIs } from '../support/matrix/until.ts';
import { reasonOfReady } from '../support/matrix/world.ts';
import { createResolver } from '../support/resolver.ts';
import { startTestStack } from '../support/stack.ts';

const test = await startTestStack({ durable: true });
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
  nameservers: ['ns1.zonestead.test'],
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
  /** Why the object that the work is about is not Ready meanwhile; null: it is gone, because its end does not need the part. */
  readonly reasons: Readonly<Record<'creating' | 'changing' | 'deleting', NotReadyReason | null>>;
}

const everywhere = (reason: NotReadyReason) => ({ creating: reason, changing: reason, deleting: reason });

const OUTAGES: readonly Outage[] = [
  { part: 'api', reasons: everywhere('APIUnavailable') },
  { part: 'postgres', reasons: everywhere('APIError') },
  { part: 'knot', reasons: { ...everywhere('AwaitingPropagation'), deleting: null } },
];

/** The object that a work is about. */
const CELLS = [
  { kind: 'creating', work: CREATING, about: 'zones' },
  { kind: 'changing', work: CHANGING, about: 'records' },
  { kind: 'deleting', work: DELETING, about: 'records' },
] as const;

/** From the start of the part. */
const healing = measureHealing({ each: 30_000, median: 15_000 });

describe.each(OUTAGES)('when $part is killed', ({ part, reasons }) => {
  const cells = new Map<Work, Cell>();
  const healed = new Map<Work, Promise<number>>();
  beforeAll(async () => {
    await Promise.all(
      CELLS.map(async ({ work }) => {
        const cell = await newCell(chain);
        cells.set(work, cell);
        await work.given(chain, cell);
        await consistent(chain, cell, 'given');
      }),
    );
    await service.running.part(part).stop({ signal: 'SIGKILL' });
    await Promise.all(
      CELLS.map(async ({ kind, work, about }) => {
        const cell = cells.get(work) as Cell;
        await work.act(chain, cell);
        const wanted = reasons[kind];
        await untilIs(
          `${part} is away while ${work.title}: the reason of Ready`,
          async () => (await reasonOfReady(chain, cell, about)) ?? null,
          (reason) => reason === wanted,
        );
      }),
    );
    await service.running.start(part);
    for (const { work } of CELLS) {
      const cell = cells.get(work) as Cell;
      cell.made = work.made;
      const heals = consistent(chain, cell, work.title);
      heals.catch(() => undefined);
      healed.set(work, heals);
    }
  });

  it.each(CELLS)('while $work.title, all ends well', async ({ work }) => {
    healing.add(`${part}: ${work.title}`, (await healed.get(work)) as number);
    await cleanUp(chain, cells.get(work) as Cell);
  });
});

it('the work ends in seconds after the fault', () => {
  expect(healing.problems()).toEqual([]);
});
