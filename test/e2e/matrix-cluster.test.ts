// The fault matrix, third part: what goes wrong on the side of Kubernetes. The API server and its store restarted, versions
// compacted away, watches that die without a word, CRDs applied again, namespaces and zone objects deleted first.
import { afterAll, describe, expect, it } from 'vitest';
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
import { leftovers, objectsOf } from '../support/matrix/world.ts';

/** In the place of 150 s. Bookmarks come once a minute, so that every quiet watch is opened again here. */
const SILENCE_MS = 2_000;

const chain = await startChain();
const proxy = await startStillProxy(chain.apiserverPort, chain.operatorKubeconfig);
let operator = startOperator(chain, { kubeconfig: proxy.kubeconfig, silenceMs: SILENCE_MS });
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

async function end(cell: Cell, { made, title }: Work): Promise<void> {
  cell.made = made;
  await consistent(chain, cell, title);
  await cleanUp(chain, cell);
}

describe.each(WORKS)('while $title', (work) => {
  it('the API server and etcd are restarted', async () => {
    const cell = await given(work);
    const restart = chain.restartControlPlane();
    // Refused while it is away: as with kubectl, the user asks again.
    await expect
      .poll(
        () =>
          work.act(chain, cell).then(
            () => true,
            () => false,
          ),
        { timeout: 30_000, interval: 100 },
      )
      .toBe(true);
    await restart;
    await end(cell, work);
  });

  it('every connection to the API server goes still, and nobody says so', async () => {
    const cell = await given(work);
    const before = proxy.connections();
    expect(proxy.still()).toBeGreaterThan(0);
    await work.act(chain, cell);
    await end(cell, work);
    expect(proxy.connections()).toBeGreaterThan(before);
  });

  it('etcd is compacted while the watch is cut, so that its version is gone', async () => {
    const cell = await given(work);
    await operator.kill();
    operator = startOperator(chain, { kubeconfig: proxy.kubeconfig, silenceMs: SILENCE_MS });
    await consistent(chain, cell, 'the next operator has looked');
    proxy.still();
    await work.act(chain, cell);
    await chain.compactEtcd();
    await chain.restartControlPlane();
    await end(cell, work);
  });

  it('the CRDs are applied again', async () => {
    const cell = await given(work);
    await Promise.all([chain.applyCrds(), work.act(chain, cell)]);
    await chain.applyCrds();
    await end(cell, work);
  });

  it('the operator is paused and goes on', async () => {
    const cell = await given(work);
    await operator.stop();
    await work.act(chain, cell);
    operator = startOperator(chain, { kubeconfig: proxy.kubeconfig, silenceMs: SILENCE_MS });
    await end(cell, work);
  });
});

describe('deleted in an order of its own', () => {
  it('a namespace takes its zone and its record with it', async () => {
    const cell = await given(CREATING);
    await CREATING.act(chain, cell);
    await consistent(chain, cell);
    await chain.remove(NAMESPACE, cell.namespace);
    await expect.poll(() => leftovers(chain, cell), { timeout: 40_000 }).toEqual([]);
    const gone = () =>
      chain.api.get(NAMESPACE, { name: cell.namespace }).then(
        () => 'there',
        () => 'gone',
      );
    await expect.poll(gone, { timeout: 30_000, interval: 200 }).toBe('gone');
  });

  it('a namespace with a foreign record in its zone waits until that is gone', async () => {
    const cell = await given(CREATING);
    await CREATING.act(chain, cell);
    await consistent(chain, cell);
    await putForeign(chain, cell);
    await chain.remove(NAMESPACE, cell.namespace);
    const reason = async () => {
      const { zones } = await objectsOf(chain, cell);
      return zones[0]?.status?.conditions.find(({ type }) => type === 'Ready')?.reason;
    };
    await expect.poll(reason, { timeout: 30_000, interval: 100 }).toBe('DeletionBlocked');
    const [found] = await chain.client.zones.list({ zoneName: cell.zoneName });
    const held = await chain.client.records.list(found?.id ?? '');
    expect(held).toEqual(cell.foreign);
    for (const { id } of cell.foreign) await chain.client.records.delete(found?.id ?? '', id);
    await expect.poll(() => leftovers(chain, cell), { timeout: 40_000 }).toEqual([]);
  });

  it('the zone object goes first, its record afterwards', async () => {
    const cell = await given(CREATING);
    await CREATING.act(chain, cell);
    await consistent(chain, cell);
    await chain.remove(DNS_ZONE, 'zone', cell.namespace);
    await expect.poll(async () => (await objectsOf(chain, cell)).zones.length, { timeout: 20_000 }).toBe(0);
    const reason = async () => {
      const { records } = await objectsOf(chain, cell);
      return records[0]?.status?.conditions.find(({ type }) => type === 'Ready')?.reason;
    };
    await expect.poll(reason, { timeout: 20_000 }).toBe('ZoneNotReady');
    await cleanUp(chain, cell);
  });

  it('the zone object goes and comes again, and its record is in the new one', async () => {
    const cell = await given(CREATING);
    await CREATING.act(chain, cell);
    await consistent(chain, cell);
    await chain.remove(DNS_ZONE, 'zone', cell.namespace);
    await expect.poll(async () => (await objectsOf(chain, cell)).zones.length, { timeout: 20_000 }).toBe(0);
    await CREATING.act(chain, cell);
    cell.made = '2 zone(s) and 4 record(s)';
    await consistent(chain, cell);
    await cleanUp(chain, cell);
  });
});
