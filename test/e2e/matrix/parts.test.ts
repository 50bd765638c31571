// The fault matrix, fourth part: the service's own parts are killed with -9, stopped by SIGSTOP or ended gracefully.
// Objects are created, changed and deleted while they are down, and they come back. Every part is a process of its own
// here, the operator included; only those that were down are started again. Postgres writes durably, as in production.
// While knotd runs, no query fails.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectCluster } from '#kube/api/cluster.ts';
import type { NotReadyReason } from '#resources/reasons.ts';
import type { ServicePart } from '../../../deploy/local/service.ts';
import { answered, denied, startAsking } from '../../support/dns/asking.ts';
import { createResolver } from '../../support/dns/resolver.ts';
import { type Cell, CHANGING, CREATING, DELETING, type Work } from '../../support/matrix/cell.ts';
import { type Chain, createCalls } from '../../support/matrix/chain.ts';
import { inconsistencies, listObjects, readHistoryText, reasonOfReady } from '../../support/matrix/invariants.ts';
import { openMatrix } from '../../support/matrix/matrix.ts';
import { startTestStack } from '../../support/stack/stack.ts';
import { isAway, untilIs, untilNone } from '../../support/time/until.ts';

const stack = await startTestStack({ durable: true });
const folder = await mkdtemp(join(tmpdir(), 'zonestead-parts-'));
const { service, cluster } = stack.stack;
const kube = await connectCluster({ kubeconfig: cluster.kubeconfig });
const sql = postgres(service.databaseUrl, { max: 2, onnotice: () => undefined });
const chain: Chain = {
  ...createCalls(kube.api),
  url: service.url,
  key: service.keys.operator.key,
  sql,
  dns: createResolver(service.dns, folder),
  nameservers: ['ns1.zonestead.test'],
  client: stack.client,
  api: kube.api,
  operatorKubeconfig: cluster.operatorKubeconfig,
};
afterAll(async () => {
  await sql.end();
  await kube.close();
  await stack.stop();
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
  await stack.ready('zdz/steady', 'zdr/steady');
});

type Leaving = (part: ServicePart) => Promise<unknown>;
/** The ways in which parts are down. */
const WAYS: Readonly<
  Record<'killed with -9' | 'ended gracefully' | 'stopped by SIGSTOP', Record<'leave' | 'comeBack', Leaving>>
> = {
  'killed with -9': {
    leave: (part) => service.running.part(part).stop({ signal: 'SIGKILL' }),
    comeBack: (part) => service.running.start(part),
  },
  'ended gracefully': {
    leave: (part) => service.running.part(part).stop(),
    comeBack: (part) => service.running.start(part),
  },
  'stopped by SIGSTOP': {
    leave: async (part) => process.kill(service.running.part(part).pid, 'SIGSTOP'),
    comeBack: async (part) => process.kill(service.running.part(part).pid, 'SIGCONT'),
  },
};

/** The signs that the operator has met the outage. */
interface Met {
  /** Why the object that is created or changed is not Ready. */
  readonly reason: NotReadyReason;
  /** A deleted DNSRecord has no condition: how else it is seen that its values cannot leave DNS. */
  readonly deletion: (cell: Cell) => Promise<unknown>;
}

interface Outage {
  /** In the order in which they are started again. */
  readonly parts: readonly ServicePart[];
  readonly way: keyof typeof WAYS;
  readonly met: Met;
}

const operatorLog = stack.stack.operator.part('operator').logFile;

/** The run that releases the values fails and will be repeated. */
const releaseFails = ({ namespace }: Cell) =>
  untilNone('the log of the operator', async () => {
    const lines = (await readFile(operatorLog, 'utf8')).split('\n');
    const isMet = lines.some(
      (line) => line.includes(`"${namespace}/www"`) && line.includes('the run failed and will be retried'),
    );
    return isMet ? [] : [`no run of ${namespace}/www failed`];
  });

/** The service has released the values, and its name server does not show it. */
async function releaseIsNotServed(cell: Cell): Promise<void> {
  const history = () => readHistoryText(chain, cell.zoneName);
  await untilIs('the history', history, (is) => is === DELETING.history);
  await untilIs(
    'the objects',
    async () => (await listObjects(chain, cell)).records.length,
    (count) => count === 0,
  );
  const look = inconsistencies(chain, { ...cell, history: DELETING.history });
  const differences = await look.catch((error: unknown) => {
    if (isAway(error)) return ['no answer from DNS'];
    throw error;
  });
  expect(differences).toEqual([expect.stringMatching(/DNS/)]);
}

/** The service accepts everything, and its name server does not have it yet. */
const UNSERVED: Met = { reason: 'AwaitingPropagation', deletion: releaseIsNotServed };

const OUTAGES: readonly Outage[] = [
  { parts: ['api'], way: 'killed with -9', met: { reason: 'APIUnavailable', deletion: releaseFails } },
  { parts: ['postgres'], way: 'killed with -9', met: { reason: 'APIError', deletion: releaseFails } },
  { parts: ['knot'], way: 'killed with -9', met: UNSERVED },
  { parts: ['knot'], way: 'stopped by SIGSTOP', met: UNSERVED },
  { parts: ['nameserver'], way: 'killed with -9', met: UNSERVED },
  { parts: ['nameserver'], way: 'stopped by SIGSTOP', met: UNSERVED },
  { parts: ['knot', 'nameserver'], way: 'ended gracefully', met: UNSERVED },
];
/** Questions that are to be answered while the parts are down. */
const ENOUGH = 50;

/** The object that a work is about; none if it is deleted. */
const CELLS = [
  { work: CREATING, about: 'zones' },
  { work: CHANGING, about: 'records' },
  { work: DELETING, about: null },
] as const;

/** Only ends what hangs. */
const SETUP_MS = 600_000;

/** Healing counts from the start of the part. */
const matrix = openMatrix(chain);

const titled = OUTAGES.map((outage) => ({ ...outage, title: `${outage.parts.join(' and ')} ${outage.way}` }));

async function isMet({ reason, deletion }: Met, cell: Cell, about: (typeof CELLS)[number]['about']): Promise<void> {
  if (about === null) await deletion(cell);
  else
    await untilIs(
      `Ready of the ${about}`,
      () => reasonOfReady(chain, cell, about),
      (is) => is === reason,
    );
}

describe.each(titled)('with $title', ({ title, parts, way, met }) => {
  const { leave, comeBack } = WAYS[way];
  const isAnswering = !parts.includes('knot');
  const wrong: string[] = [];
  const cells = new Map<Work, Cell>();
  const healings = new Map<Work, Promise<number>>();
  beforeAll(async () => {
    await Promise.all(
      CELLS.map(async ({ work }) => {
        const cell = await matrix.newCell();
        cells.set(work, cell);
        await work.given(chain, cell);
        await matrix.consistent(cell, 'given');
      }),
    );
    const asking = isAnswering ? startAsking([createResolver(service.dns, folder)], QUESTIONS) : undefined;
    try {
      await Promise.all(parts.map(leave));
      try {
        await Promise.all(
          CELLS.map(async ({ work, about }) => {
            const cell = cells.get(work) as Cell;
            await work.act(chain, cell);
            await isMet(met, cell, about);
          }),
        );
        await asking?.more(ENOUGH);
      } finally {
        for (const part of parts) await comeBack(part);
      }
    } finally {
      wrong.push(...((await asking?.stop()) ?? []));
    }
    for (const { work } of CELLS) {
      const cell = cells.get(work) as Cell;
      cell.history = work.history;
      const heals = matrix.healed(cell, work.title);
      heals.catch(() => undefined);
      healings.set(work, heals);
    }
  }, SETUP_MS);

  test.each(CELLS)(`with ${title} while $work.title, all ends well`, async ({ work }) => {
    matrix.add(title, (await healings.get(work)) as number);
    await matrix.cleanUp(cells.get(work) as Cell);
  });

  if (isAnswering)
    test(`with ${title}, no query fails meanwhile`, () => {
      expect(wrong).toEqual([]);
    });
});

matrix.declareEnd();
