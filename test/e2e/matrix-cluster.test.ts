// The fault matrix, third part: what goes wrong on the side of Kubernetes. The API server and its store restarted, versions
// compacted away, watches that die without a word, CRDs applied again, namespaces and zone objects deleted first.
import { afterAll, beforeAll, describe, it } from 'vitest';
import { NAMESPACE } from '../../src/operator/house.ts';
import { DNS_ZONE } from '../../src/operator/resources/dnszone.ts';
import {
  type Cell,
  CREATING,
  cleanUp,
  consistent,
  newCell,
  putForeign,
  WORKS,
  type Work,
} from '../support/matrix/cell.ts';
import { startChain } from '../support/matrix/chain.ts';
import { startOperator } from '../support/matrix/operator.ts';
import { startStillProxy } from '../support/matrix/still-proxy.ts';
import { untilIs, untilNone } from '../support/matrix/until.ts';
import { leftovers, objectsOf, reasonOfReady } from '../support/matrix/world.ts';

/** In the place of 150 s and 30 s. Bookmarks come once a minute, so that every quiet watch is opened again here. */
const SHORT = { silenceMs: 2_000, callTimeoutMs: 2_000 };

const chain = await startChain();
const proxy = await startStillProxy(chain.apiserverPort, chain.operatorKubeconfig);
const start = () => startOperator(chain, { kubeconfig: proxy.kubeconfig, ...SHORT });
let operator = start();
afterAll(async () => {
  await operator.stop();
  await proxy.close();
});

/** What is there, and Ready, before the fault. */
async function given(work: Work): Promise<Cell> {
  const cell = await newCell(chain);
  await work.given(chain, cell);
  await consistent(chain, cell, 'given');
  return cell;
}

interface Fault {
  readonly title: string;
  /** An operator that has not yet met a fault does not wait as long between its attempts. */
  readonly afresh?: boolean;
  /** Breaks something and calls `act`, which all of the cell's users do at that moment. */
  strike(act: () => Promise<unknown>): Promise<unknown>;
}

/** Refused while the API server is away: as with kubectl, the user asks again. */
const insist = (act: () => Promise<unknown>) =>
  untilNone('the users are heard', async () => {
    await act();
    return [];
  });

const FAULTS: readonly Fault[] = [
  {
    title: 'the API server and etcd are restarted',
    strike: (act) => Promise.all([chain.restartControlPlane(), insist(act)]),
  },
  {
    title: 'every connection to the API server goes still, and nobody says so',
    strike: async (act) => {
      const before = proxy.connections();
      if (proxy.still() === 0) throw new Error('there was no connection');
      await act();
      await untilIs('new connections', proxy.connections, (now) => now > before);
    },
  },
  {
    title: 'etcd is compacted while the watch is cut, so that its version is gone',
    afresh: true,
    strike: async (act) => {
      proxy.still();
      await act();
      await chain.compactEtcd();
      await chain.restartControlPlane();
    },
  },
  {
    title: 'the CRDs are applied again',
    strike: async (act) => {
      await Promise.all([chain.applyCrds(), act()]);
      await chain.applyCrds();
    },
  },
  {
    title: 'the operator is away',
    strike: async (act) => {
      await operator.stop();
      await act();
      operator = start();
    },
  },
];

describe.each(FAULTS)('when $title', ({ strike, afresh }) => {
  let cells: Cell[];
  beforeAll(async () => {
    if (afresh) {
      await operator.stop();
      operator = start();
    }
    cells = await Promise.all(WORKS.map(given));
    await strike(() => Promise.all(WORKS.map((work, index) => work.act(chain, cells[index] as Cell))));
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

/** A cell whose zone and record are there. */
async function created(): Promise<Cell> {
  const cell = await given(CREATING);
  await CREATING.act(chain, cell);
  await consistent(chain, cell);
  return cell;
}

/** Deletes the zone object before its record, and waits until it is gone. */
async function removeZone(cell: Cell): Promise<void> {
  await chain.remove(DNS_ZONE, 'zone', cell.namespace);
  await untilIs(
    'the zone objects',
    async () => (await objectsOf(chain, cell)).zones.length,
    (count) => count === 0,
  );
}

describe.concurrent('deleted in an order of its own', () => {
  it('a namespace takes its zone and its record with it', async () => {
    const cell = await created();
    await chain.remove(NAMESPACE, cell.namespace);
    await untilNone('nothing is left', () => leftovers(chain, cell));
    const look = () =>
      chain.api.get(NAMESPACE, { name: cell.namespace }).then(
        () => 'there',
        () => 'gone',
      );
    await untilIs('the namespace', look, (is) => is === 'gone');
  });

  it('a namespace with a foreign record in its zone waits until that is gone', async () => {
    const cell = await created();
    await putForeign(chain, cell);
    await chain.remove(NAMESPACE, cell.namespace);
    const reason = () => reasonOfReady(chain, cell, 'zones');
    await untilIs('Ready of the zone', reason, (is) => is === 'DeletionBlocked');
    const [found] = await chain.client.zones.list({ zoneName: cell.zoneName });
    const held = () => chain.client.records.list(found?.id ?? '');
    await untilIs('the zone', held, (records) => JSON.stringify(records) === JSON.stringify(cell.foreign));
    for (const { id } of cell.foreign) await chain.client.records.delete(found?.id ?? '', id);
    await untilNone('nothing is left', () => leftovers(chain, cell));
  });

  it('the zone object goes first, its record afterwards', async () => {
    const cell = await created();
    await removeZone(cell);
    const reason = () => reasonOfReady(chain, cell, 'records');
    await untilIs('Ready of the record', reason, (is) => is === 'ZoneNotReady');
    await cleanUp(chain, cell);
  });

  it('the zone object goes and comes again, and its record is in the new one', async () => {
    const cell = await created();
    await removeZone(cell);
    await CREATING.act(chain, cell);
    cell.made = '2 zone(s) and 4 record(s)';
    await consistent(chain, cell);
    await cleanUp(chain, cell);
  });
});
