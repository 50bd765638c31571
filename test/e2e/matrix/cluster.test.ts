// The fault matrix, third part: faults on the side of Kubernetes. The API server and its store are restarted, versions
// are compacted away, connections go still silently, CRDs change, namespaces and zone objects are deleted first. Each
// fault is shown to have reached the operator itself, by the ends of its own watches.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchRecords, fetchZones } from '#client/lists.ts';
import { deleteRecord } from '#contract/operations/records.ts';
import { isNotFound, KubeError } from '#kube/api/errors.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { type Cell, CREATING, WORKS, type Work } from '../../support/matrix/cell.ts';
import { startChain } from '../../support/matrix/chain.ts';
import { inconsistencies, leftovers, listObjects, reasonOfReady } from '../../support/matrix/invariants.ts';
import { openMatrix } from '../../support/matrix/matrix.ts';
import { startOperator } from '../../support/matrix/operator.ts';
import { startStillProxy } from '../../support/matrix/still-proxy.ts';
import { untilIs, untilNone } from '../../support/time/until.ts';
import { type WatchEnd, watchEnds } from './watch-ends.support.ts';

/**
 * In the place of 150 s and 30 s. The API server sends a bookmark once a minute, so the operator opens every quiet
 * watch again after 4 s here: such an end is not a sign of a fault.
 */
const SHORT = { silenceMs: 4_000, callTimeoutMs: 4_000 };
/** The API server ends watches within a second or two of a change of the schema. */
const MISSED_MS = 10_000;
const MAX_CHANGES = 6;

const chain = await startChain();
const proxy = await startStillProxy(chain.apiserverPort, chain.operatorKubeconfig);
const log: string[] = [];
const start = () =>
  startOperator(chain, {
    kubeconfig: proxy.kubeconfig,
    ...SHORT,
    logLevel: 'debug',
    log: (line) => void log.push(line),
  });
let operator = start();
afterAll(async () => {
  await operator.stop();
  await proxy.close();
});

/** Only ends what hangs. */
const SETUP_MS = 600_000;

/** The operator has waited longer and longer between its attempts while it was cut off, about 15 s at last. */
const COMPACTED = 'etcd is compacted while the operator is cut off, so that the version of its watches is gone';

/** Healing counts from the end of the fault. */
const matrix = openMatrix(chain, { kinds: { [COMPACTED]: 28_000 } });

/** The kinds that the operator watches and every fault concerns. */
const WATCHED = ['dnsrecords', 'dnszones'];

/** Waits until a watch of each kind has ended in that way since the line `from` of the log. */
async function endedAs(what: string, from: number, is: (end: WatchEnd) => boolean, ms?: number): Promise<void> {
  const look = async () => {
    const met = watchEnds(log.slice(from)).filter(is);
    return WATCHED.filter((plural) => !met.some(({ cache }) => cache === plural)).map(
      (plural) => `no watch of ${plural} ended so`,
    );
  };
  await untilNone(what, look, ms);
}

/** The objects that exist, and are Ready, before the fault. */
async function given(work: Work): Promise<Cell> {
  const cell = await matrix.newCell();
  await work.given(chain, cell);
  await matrix.consistent(cell, 'given');
  return cell;
}

interface Fault {
  readonly title: string;
  /** An operator that has not yet met a fault does not wait as long between its attempts. */
  readonly afresh?: boolean;
  /**
   * Breaks something, calls `act`, which all of the cell's users do at that moment, and resolves when the operator met
   * it.
   */
  strike(act: () => Promise<unknown>, cells: readonly Cell[]): Promise<unknown>;
}

/** The API server is down and refuses, or does not know the CRDs yet: as with kubectl, the user asks again. */
const insist = (act: () => Promise<unknown>) =>
  untilNone('the users are heard', async () => {
    try {
      await act();
      return [];
    } catch (error) {
      if (error instanceof KubeError) return [error.message];
      throw error;
    }
  });

const FAULTS: readonly Fault[] = [
  {
    title: 'the API server and etcd are restarted',
    strike: async (act) => {
      const from = log.length;
      await Promise.all([chain.restartControlPlane(), insist(act)]);
      await endedAs('the operator lost its watches', from, ({ how }) => how === 0 || how === 'server');
    },
  },
  {
    title: 'every connection to the API server goes still without an error',
    strike: async (act) => {
      const stilled = proxy.still();
      await act();
      await untilIs('words of the API server that are lost', stilled.lost, (bytes) => bytes > 0);
      await untilIs('connections given up', stilled.closed, (count) => count >= WATCHED.length);
    },
  },
  {
    title: COMPACTED,
    afresh: true,
    strike: async (act) => {
      const from = log.length;
      proxy.refuse(true);
      proxy.still();
      await act();
      await chain.compactEtcd();
      await chain.restartControlPlane();
      proxy.refuse(false);
      // A cache whose newest object was deleted meanwhile is listed at once.
      const isMet = ({ how }: WatchEnd) => how === 410 || how === 'unsure';
      await endedAs('the version of the operator is gone', from, isMet);
    },
  },
  {
    title: 'the schema of the CRDs changes and changes back',
    strike: async (act) => {
      const from = log.length;
      await Promise.all([chain.changeCrds(), insist(act)]);
      await chain.applyCrds();
      const ends = ({ how }: WatchEnd) => how === 'server';
      // The operator opens quiet watches again every 4 s here, so one can be missing at the moment of the change.
      for (let tries = 1; tries < MAX_CHANGES; tries += 1) {
        const isMet = await endedAs('', from, ends, MISSED_MS).then(
          () => true,
          () => false,
        );
        if (isMet) return;
        await chain.changeCrds();
        await chain.applyCrds();
      }
      await endedAs('the API server ends the watches', from, ends);
    },
  },
  {
    title: 'the operator is down',
    strike: async (act, cells) => {
      await operator.stop();
      await act();
      for (const cell of cells) expect(await inconsistencies(chain, cell)).not.toEqual([]);
      operator = start();
    },
  },
];

describe.each(FAULTS)('when $title', ({ strike, afresh, title: fault }) => {
  let cells: Cell[];
  let healings: Promise<number>[];
  beforeAll(async () => {
    if (afresh) {
      await operator.stop();
      operator = start();
    }
    cells = await Promise.all(WORKS.map(given));
    await strike(() => Promise.all(WORKS.map((work, index) => work.act(chain, cells[index] as Cell))), cells);
    healings = WORKS.map(({ history, title }, index) => {
      const cell = cells[index] as Cell;
      cell.history = history;
      return matrix.healed(cell, title);
    });
    for (const each of healings) each.catch(() => undefined);
  }, SETUP_MS);

  test.each(WORKS.map((work, index) => ({ ...work, index })))(
    `when ${fault} while $title, all ends well`,
    async ({ index }) => {
      matrix.add(fault, (await healings[index]) as number);
      await matrix.cleanUp(cells[index] as Cell);
    },
  );
});

/** A cell whose zone and record are there. */
async function created(): Promise<Cell> {
  const cell = await given(CREATING);
  await CREATING.act(chain, cell);
  await matrix.consistent(cell);
  return cell;
}

/** Deletes the zone object before its record, and waits until it is gone. */
async function removeZone(cell: Cell): Promise<void> {
  await chain.remove(DNS_ZONE, 'zone', cell.namespace);
  await untilIs(
    'the zone objects',
    async () => (await listObjects(chain, cell)).zones.length,
    (count) => count === 0,
  );
}

describe.concurrent('deleted in an order of its own', () => {
  test('a deleted namespace takes its zone and its record with it', async () => {
    const cell = await created();
    await chain.remove(NAMESPACE, cell.namespace);
    await untilNone('nothing is left', () => leftovers(chain, cell));
    const look = () =>
      chain.api.get(NAMESPACE, { name: cell.namespace }).then(
        () => 'there',
        (error) => {
          if (!isNotFound(error)) throw error;
          return 'gone';
        },
      );
    await untilIs('the namespace', look, (is) => is === 'gone');
  });

  test('a deleted namespace with a foreign record in its zone waits until that is gone', async () => {
    const cell = await created();
    await matrix.putForeign(cell);
    await chain.remove(NAMESPACE, cell.namespace);
    const reason = () => reasonOfReady(chain, cell, 'zones');
    await untilIs('Ready of the zone', reason, (is) => is === 'DeletionBlocked');
    const [found] = await fetchZones(chain.client, { zoneName: cell.zoneName });
    const held = () => fetchRecords(chain.client, found?.id ?? '', {});
    await untilIs('the zone', held, (records) => JSON.stringify(records) === JSON.stringify(cell.foreign));
    for (const { id } of cell.foreign)
      await chain.client.call(deleteRecord, { params: { id: found?.id ?? '', recordId: id } });
    await untilNone('nothing is left', () => leftovers(chain, cell));
  });

  test('the zone object is deleted first, its record afterwards', async () => {
    const cell = await created();
    await removeZone(cell);
    const reason = () => reasonOfReady(chain, cell, 'records');
    await untilIs('Ready of the record', reason, (is) => is === 'ZoneNotReady');
    await matrix.cleanUp(cell);
  });

  test('the zone object is deleted and created again, and its record is in the new one', async () => {
    const cell = await created();
    await removeZone(cell);
    await CREATING.act(chain, cell);
    cell.history = 'record.create 4, zone.create 2, zone.delete 1';
    await matrix.healed(cell, 'created again');
    await matrix.cleanUp(cell);
  });
});

matrix.declareEnd();
