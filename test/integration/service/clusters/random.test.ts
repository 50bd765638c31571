// Random applies, releases, shares, plain writes, drains, losses and heartbeats of several clusters, compared with a
// model that computes from the list of owners which records are withdrawn, and which values a name server has to answer
// with.
import { expect, test } from 'vitest';
import { nextSeed } from '../../../support/runner/seed.ts';
import { CLUSTER_TIMES, clusterApi } from '../../../support/service/clusters.ts';
import { addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const SEED = nextSeed();
const STEPS = 120;
const CLUSTERS = ['north', 'east', 'south'];
const NAMES = ['www', 'api'];
const VALUES = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];

const service = await startTestService({ warnings: ['a cluster is lost'], clusterTimes: CLUSTER_TIMES });
const { request, dns } = service;
const { send, lose } = clusterApi(service);
const person = await addPerson(service, { team: 'first' });
const zone = await service.zone('random.example');

let state = SEED;
/** A whole number below `below` (mulberry32). */
function random(below: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % below;
}
const one = <T>(from: readonly T[]): T => from[random(from.length)] as T;

interface Owned {
  owner: string;
  name: string;
  whenClusterLost: string;
  records: { id: string }[];
}

/** The states of the clusters as the test set them. */
const drained = new Set<string>();
const lost = new Set<string>();

async function step(): Promise<void> {
  const [cluster, name] = [one(CLUSTERS), one(NAMES)];
  const set = { owner: `k8s:${cluster}/default/${name}-${random(2)}`, name, type: 'A' };
  switch (random(9)) {
    case 0:
    case 1:
    case 2: {
      const values = VALUES.filter(() => random(2) === 0).map((content) => ({ content }));
      const whenClusterLost = one(['Keep', 'Withdraw']);
      const more = values.length > 0 ? { share: true, whenClusterLost } : {};
      await request('POST', `/zones/${zone.id}/records:apply`, { sets: [{ ...set, values, ...more }] });
      return;
    }
    case 3:
      await request('POST', `/zones/${zone.id}/records:apply`, {
        sets: [{ ...set, values: [], retain: random(2) === 0 }],
      });
      return;
    case 4:
      await request('POST', `/zones/${zone.id}/records`, { name, type: 'A', content: one(VALUES) });
      return;
    case 5: {
      const { body } = await request('GET', `/zones/${zone.id}/records`);
      const records = body.records as { id: string }[];
      if (records.length > 0) await request('DELETE', `/zones/${zone.id}/records/${one(records).id}`);
      return;
    }
    case 6:
      await send(person, 'POST', `/${cluster}/drain`);
      drained.add(cluster);
      return;
    case 7:
      await send(person, 'POST', `/${cluster}/restore`);
      drained.delete(cluster);
      return;
    default:
      if (random(2) === 0) {
        await lose(cluster);
        lost.add(cluster);
      } else {
        await send(service.admin, 'PUT', `/${cluster}`);
        lost.delete(cluster);
      }
  }
}

/** Compares the stored records and the answers with the model, after the last state of each cluster is settled. */
async function check(): Promise<void> {
  const unsettled = async () => {
    const { body } = await send(service.admin, 'GET', '');
    return (body.clusters as { name: string; settled: boolean }[]).filter(({ settled }) => !settled);
  };
  await expect.poll(unsettled).toEqual([]);
  const { body } = await request('GET', `/zones/${zone.id}/records`);
  const records = body.records as { id: string; name: string; content: string; withdrawn?: boolean }[];
  const { body: listed } = await request('GET', `/zones/${zone.id}/owners`);
  const owned = listed.owners as Owned[];
  const isAway = ({ owner, whenClusterLost }: Owned) => {
    const cluster = /^k8s:([^/]+)\//.exec(owner)?.[1] ?? '';
    return drained.has(cluster) || (lost.has(cluster) && whenClusterLost === 'Withdraw');
  };
  const isWithdrawn = (id: string) => {
    const sets = owned.filter((each) => each.records.some((record) => record.id === id));
    return sets.length > 0 && sets.every(isAway);
  };
  expect(records.map(({ id, withdrawn = false }) => [id, withdrawn])).toEqual(
    records.map(({ id }) => [id, isWithdrawn(id)]),
  );
  for (const name of NAMES) {
    const here = records.filter((record) => record.name === name);
    const there = here.filter(({ id }) => !isWithdrawn(id));
    const wanted = (there.length > 0 ? there : here).map(({ content }) => content).sort();
    const { answers } = await dns.lookup(`${name}.random.example`, 'A');
    expect(answers.map((line) => line.split(' ').at(-1))).toEqual(wanted);
  }
}

test(`stored marks and answers follow the model (seed ${SEED})`, { timeout: 300_000 }, async () => {
  for (const cluster of CLUSTERS) await send(service.admin, 'PUT', `/${cluster}`);
  for (let n = 0; n < STEPS; n += 1) {
    await step();
    if (n % 3 === 0) await check();
  }
  await check();
});
