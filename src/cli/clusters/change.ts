// `zonestead clusters`: the list, and withdrawing the records of a cluster.
import type { Cluster } from '#contract/clusters.ts';
import * as clusterApi from '#contract/operations/clusters.ts';
import type { DryRunOption } from '../options.ts';
import { show } from '../output.ts';
import type { Session } from '../rest/session.ts';
import { table } from '../table.ts';

const HEADING = ['CLUSTER', 'OWNER', 'STATE', 'LAST HEARTBEAT'];

export async function listClusters(session: Session, owner: string | undefined): Promise<void> {
  const { client, signal, print } = session;
  const { clusters } = await client.call(clusterApi.listClusters, { query: { owner } }, { signal });
  await show(session, { clusters }, () => {
    if (clusters.length === 0) print('no cluster has sent a heartbeat');
    else table(HEADING, clusters.map(rowOf), print);
  });
}

function rowOf({ name, owner, state, settled, lastHeartbeat }: Cluster): string[] {
  return [name, owner, settled ? state : `${state}, changing`, lastHeartbeat];
}

type Options = DryRunOption & { owner?: string };

/** @throws Error if there is no such cluster, or the key is not that of an owner of the team */
export async function drainCluster(session: Session, name: string, { owner, dryRun }: Options): Promise<void> {
  const { client, signal } = session;
  if (dryRun) return preview(session, name, owner, 'drain');
  const cluster = await client.call(clusterApi.drainCluster, { params: { name }, query: { owner } }, { signal });
  await tell(session, cluster, `drained ${name}; its records are served only where nothing else is`);
}

/** @throws as drainCluster */
export async function restoreCluster(session: Session, name: string, { owner, dryRun }: Options): Promise<void> {
  const { client, signal } = session;
  if (dryRun) return preview(session, name, owner, 'restore');
  const cluster = await client.call(clusterApi.restoreCluster, { params: { name }, query: { owner } }, { signal });
  const after = cluster.state === 'lost' ? 'it is lost, so it waits for its next heartbeat' : 'its records are served';
  await tell(session, cluster, `restored ${name}; ${after}`);
}

/** @throws as drainCluster */
export async function releaseCluster(session: Session, name: string, { owner, dryRun }: Options): Promise<void> {
  const { client, signal } = session;
  if (dryRun) return preview(session, name, owner, 'release');
  const cluster = await client.call(clusterApi.releaseCluster, { params: { name }, query: { owner } }, { signal });
  await tell(session, cluster, `released ${name}; the next API key that sends a heartbeat of this name gets it`);
}

/** @throws as drainCluster, and if the cluster is alive or owns records */
export async function removeCluster(session: Session, name: string, { owner, dryRun }: Options): Promise<void> {
  const { client, signal, print } = session;
  if (dryRun) return preview(session, name, owner, 'remove');
  await client.call(clusterApi.deleteCluster, { params: { name }, query: { owner } }, { signal });
  await show(session, { name }, () => print(`removed ${name}`));
}

/** Shows the clusters that the change would concern, as they are. @throws Error if there is none */
async function preview(session: Session, name: string, owner: string | undefined, verb: string): Promise<void> {
  const { client, signal, print } = session;
  const all = await client.call(clusterApi.listClusters, { query: { owner } }, { signal });
  const clusters = all.clusters.filter((each) => each.name === name);
  if (clusters.length === 0)
    throw new Error(`there is no cluster ${name} that this API key can see; "zonestead clusters list" lists them`);
  await show(session, { dryRun: true, clusters }, () => {
    print(`would ${verb} ${name}`);
    table(HEADING, clusters.map(rowOf), print);
  });
}

async function tell(session: Session, cluster: Cluster, done: string): Promise<void> {
  await show(session, cluster, () => {
    session.print(done);
    if (!cluster.settled) session.print('the service is still changing some of its records');
  });
}
