// The fault matrix, fourth part: the service's own parts are killed with -9, stopped by SIGSTOP or ended in order. Objects are created,
// changed and deleted while they are away, and they come back. Every part is a process of its own here, the operator included; only
// those that were away are started again. Postgres writes durably, as in production. While knotd runs, no query fails.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectCluster } from '#kube/api/cluster.ts';
import type { NotReadyReason } from '#resources/reasons.ts';
import type { ServicePart } from '../../deploy/local/service.ts';
import { answered, denied, startAsking } from '../support/asking.ts';
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

/** A zone that no work is about: its queries never wait for a part other than knotd. */
const STEADY = { zoneName: 'steady.example', record: { name: 'www', type: 'A', ttl: 300, content: '192.0.2.50' } };
const QUESTIONS = [
  answered('www.steady.example', 'A', 'www.steady.example 300 A 192.0.2.50'),
  denied('nothing.steady.example', 'A'),
];
beforeAll(async () => {
  await chain.zone('steady', { zoneName: STEADY.zoneName });
  await chain.record('steady', 'steady', STEADY.record);
  await test.ready(60, 'zdz/steady', 'zdr/steady');
});

type Leaving = (part: ServicePart) => Promise<unknown>;
/** The ways in which parts are away. */
const WAYS: Readonly<
  Record<'killed with -9' | 'ended in order' | 'stopped by SIGSTOP', Record<'leave' | 'comeBack', Leaving>>
> = {
  'killed with -9': {
    leave: (part) => service.running.part(part).stop({ signal: 'SIGKILL' }),
    comeBack: (part) => service.running.start(part),
  },
  'ended in order': {
    leave: (part) => service.running.part(part).stop(),
    comeBack: (part) => service.running.start(part),
  },
  'stopped by SIGSTOP': {
    leave: async (part) => process.kill(service.running.part(part).pid, 'SIGSTOP'),
    comeBack: async (part) => process.kill(service.running.part(part).pid, 'SIGCONT'),
  },
};

interface Outage {
  /** In the order in which they are started again. */
  readonly parts: readonly ServicePart[];
  readonly way: keyof typeof WAYS;
  /** Why the object that the work is about is not Ready meanwhile; null: it is gone, because its end does not need the part. */
  readonly reasons: Readonly<Record<'creating' | 'changing' | 'deleting', NotReadyReason | null>>;
}

const everywhere = (reason: NotReadyReason) => ({ creating: reason, changing: reason, deleting: reason });

/** The service accepts everything, and its name server does not have it yet. */
const UNSERVED = { ...everywhere('AwaitingPropagation'), deleting: null };

const OUTAGES: readonly Outage[] = [
  { parts: ['api'], way: 'killed with -9', reasons: { ...everywhere('APIUnavailable'), deleting: null } },
  { parts: ['postgres'], way: 'killed with -9', reasons: { ...everywhere('APIError'), deleting: null } },
  { parts: ['knot'], way: 'killed with -9', reasons: UNSERVED },
  { parts: ['knot'], way: 'stopped by SIGSTOP', reasons: UNSERVED },
  { parts: ['nameserver'], way: 'killed with -9', reasons: UNSERVED },
  { parts: ['nameserver'], way: 'stopped by SIGSTOP', reasons: UNSERVED },
  { parts: ['knot', 'nameserver'], way: 'ended in order', reasons: UNSERVED },
];
/** Questions that are to be answered while the parts are away. */
const ENOUGH = 50;

/** The object that a work is about. */
const CELLS = [
  { kind: 'creating', work: CREATING, about: 'zones' },
  { kind: 'changing', work: CHANGING, about: 'records' },
  { kind: 'deleting', work: DELETING, about: 'records' },
] as const;

/** From the start of the part. */
const healing = measureHealing({ each: 30_000, median: 15_000 });

const titled = OUTAGES.map((outage) => ({ ...outage, title: `${outage.parts.join(' and ')} ${outage.way}` }));

describe.each(titled)('with $title', ({ title, parts, way, reasons }) => {
  const { leave, comeBack } = WAYS[way];
  const isAnswering = !parts.includes('knot');
  const wrong: string[] = [];
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
    const asking = isAnswering ? startAsking([createResolver(service.dns, folder)], QUESTIONS) : undefined;
    try {
      await Promise.all(parts.map(leave));
      await Promise.all(
        CELLS.map(async ({ kind, work, about }) => {
          const cell = cells.get(work) as Cell;
          await work.act(chain, cell);
          const wanted = reasons[kind];
          await untilIs(
            `${title} while ${work.title}: the reason of Ready`,
            async () => (await reasonOfReady(chain, cell, about)) ?? null,
            (reason) => reason === wanted,
          );
        }),
      );
      await asking?.more(ENOUGH);
      for (const part of parts) await comeBack(part);
    } finally {
      wrong.push(...((await asking?.stop()) ?? []));
    }
    for (const { work } of CELLS) {
      const cell = cells.get(work) as Cell;
      cell.made = work.made;
      const heals = consistent(chain, cell, work.title);
      heals.catch(() => undefined);
      healed.set(work, heals);
    }
  });

  it.each(CELLS)('while $work.title, all ends well', async ({ work }) => {
    healing.add(`${title}: ${work.title}`, (await healed.get(work)) as number);
    await cleanUp(chain, cells.get(work) as Cell);
  });

  if (isAnswering)
    it('no query fails meanwhile', () => {
      expect(wrong).toEqual([]);
    });
});

it('the work ends in seconds after the fault', () => {
  expect(healing.problems()).toEqual([]);
});
