// `zonestead clusters …`: the installations that write records, and which of them are served, over the REST API.
import type { Cluster } from '#contract/clusters.ts';
import * as clusterApi from '#contract/operations/clusters.ts';
import type { CommandGroup } from '../command.ts';
import { DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { show } from '../output.ts';
import { describeRestCommand } from '../rest/command.ts';
import type { Session } from '../rest/session.ts';
import { table } from '../table.ts';

const NAME = [{ usage: '<name>', describe: 'name of the cluster' }];
const OWNER = {
  flags: '--owner <owner>',
  describe: 'org:<teamId>, or personal (default: all clusters that the API key can see)',
};
type Options = DryRunOption & { owner?: string };
const CHANGE = [OWNER, DRY_RUN_OPTION];
const NOTES =
  'It needs the personal key of an owner of the team. A dry run shows the cluster, and does not check this right.';

const list = describeRestCommand({
  name: 'list',
  describe: 'list the clusters with their state and last heartbeat',
  options: [OWNER],
  run: (session, _args, { owner }: Options) => listClusters(session, owner),
});

const drain = describeRestCommand({
  name: 'drain',
  describe: 'withdraw the records of a cluster wherever other records are at their name and type',
  arguments: NAME,
  options: CHANGE,
  notes: NOTES,
  run: (session, [name = ''], options: Options) => drainCluster(session, name, options),
});

const restore = describeRestCommand({
  name: 'restore',
  describe: 'serve the records of a drained cluster again',
  arguments: NAME,
  options: CHANGE,
  notes: NOTES,
  run: (session, [name = ''], options: Options) => restoreCluster(session, name, options),
});

const release = describeRestCommand({
  name: 'release',
  describe: 'give the name of a cluster to the next API key, after the key of its operator was replaced',
  arguments: NAME,
  options: CHANGE,
  notes: `${NOTES} The cluster and its records stay.`,
  run: (session, [name = ''], options: Options) => releaseCluster(session, name, options),
});

const acceptOlder = describeRestCommand({
  name: 'accept-older',
  describe: 'accept the objects of a cluster as they are, after its etcd was restored from a backup',
  arguments: NAME,
  options: CHANGE,
  notes: `${NOTES} Objects that are older than the data of the service win from then on, and the operator releases what it has held back. You cannot undo this as a whole; "zonestead changes undo" takes back single changes.`,
  run: (session, [name = ''], options: Options) => acceptOlderObjects(session, name, options),
});

const remove = describeRestCommand({
  name: 'remove',
  describe: 'remove a cluster that sends no heartbeats and owns no records',
  arguments: NAME,
  options: CHANGE,
  notes: NOTES,
  run: (session, [name = ''], options: Options) => removeCluster(session, name, options),
});

export const command: CommandGroup = {
  name: 'clusters',
  describe: 'installations that write records: their heartbeats, and which of them are served',
  examples: ['zonestead clusters list', 'zonestead clusters drain west --dry-run'],
  commands: [list, drain, restore, release, acceptOlder, remove],
};

const HEADING = ['CLUSTER', 'OWNER', 'STATE', 'LAST HEARTBEAT'];

async function listClusters(session: Session, owner: string | undefined): Promise<void> {
  const { client, signal, print } = session;
  const { clusters } = await client.call(clusterApi.listClusters, { query: { owner } }, { signal });
  await show(session, { clusters }, () => {
    if (clusters.length === 0) print('no cluster has sent a heartbeat');
    else table(HEADING, clusters.map(rowOf), print);
  });
}

function rowOf({ name, owner, state, settled, lastHeartbeat, controlPlane, etcdRestoredAt }: Cluster): string[] {
  const remarks = [
    ...(settled ? [] : ['changing']),
    ...(controlPlane === 'unreachable' && state !== 'lost' ? ['control plane unreachable'] : []),
    ...(etcdRestoredAt === null ? [] : ['etcd restored']),
  ];
  return [name, owner, [state, ...remarks].join(', '), lastHeartbeat];
}

/** @throws Error if there is no such cluster, or the key is not that of an owner of the team */
async function drainCluster(session: Session, name: string, { owner, dryRun }: Options): Promise<void> {
  const { client, signal } = session;
  if (dryRun) return preview(session, name, owner, 'drain');
  const cluster = await client.call(clusterApi.drainCluster, { params: { name }, query: { owner } }, { signal });
  await tell(session, cluster, `drained ${name}; its records are served only where nothing else is`);
}

/** @throws as drainCluster */
async function restoreCluster(session: Session, name: string, { owner, dryRun }: Options): Promise<void> {
  const { client, signal } = session;
  if (dryRun) return preview(session, name, owner, 'restore');
  const cluster = await client.call(clusterApi.restoreCluster, { params: { name }, query: { owner } }, { signal });
  const after = cluster.state === 'lost' ? 'it is lost, so it waits for its next heartbeat' : 'its records are served';
  await tell(session, cluster, `restored ${name}; ${after}`);
}

/** @throws as drainCluster */
async function releaseCluster(session: Session, name: string, { owner, dryRun }: Options): Promise<void> {
  const { client, signal } = session;
  if (dryRun) return preview(session, name, owner, 'release');
  const cluster = await client.call(clusterApi.releaseCluster, { params: { name }, query: { owner } }, { signal });
  await tell(session, cluster, `released ${name}; the next API key that sends a heartbeat of this name gets it`);
}

/** @throws as drainCluster, and if a zone stays busy */
async function acceptOlderObjects(session: Session, name: string, { owner, dryRun }: Options): Promise<void> {
  const { client, signal } = session;
  if (dryRun) return preview(session, name, owner, 'accept the older objects of');
  const cluster = await client.call(clusterApi.acceptOlder, { params: { name }, query: { owner } }, { signal });
  await tell(session, cluster, `accepted the objects of ${name} as they are; its operator sees it within 10 seconds`);
}

/** @throws as drainCluster, and if the cluster is alive or owns records */
async function removeCluster(session: Session, name: string, { owner, dryRun }: Options): Promise<void> {
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
