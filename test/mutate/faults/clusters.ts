// Faults in the states of clusters, and in the answers while one of them is away.
import type { Fault } from '../fault.ts';

const TRIGGERS = 'src/store/migrations/0007_clusters.sql';
const JUDGE = 'src/store/migrations/0008_withdrawn_records.sql';
const MARKS = 'src/store/cluster-marks.ts';
const WATCH = 'src/store/cluster-watch.ts';
const ROWS = 'src/store/clusters.ts';
const SERVICE = 'src/service/clusters/clusters.ts';

const fault = (name: string, breaks: string, test: string, file: string, find: string, replace: string): Fault => ({
  name: `clusters-${name}`,
  breaks,
  edits: [{ file, find, replace }],
  project: 'integration',
  tests: [`test/integration/clusters/${test}.test.ts`],
});

export const CLUSTER_FAULTS: readonly Fault[] = [
  fault(
    'teams',
    'the cluster of another team withdraws records',
    'clusters',
    JUDGE,
    'c.owner = coalesce(z.team_id, z.user_id) and c.name',
    'c.name',
  ),
  fault(
    'keep',
    'sets that keep are withdrawn while their cluster is lost',
    'clusters',
    JUDGE,
    "s.when_cluster_lost = 'Withdraw'",
    'true',
  ),
  fault(
    'one-owner',
    'a record is withdrawn when one of its owners is',
    'clusters',
    JUDGE,
    'coalesce(bool_and(c.name',
    'coalesce(bool_or(c.name',
  ),
  fault(
    'refused-lock',
    'a removal that is refused locks the table that each write reads',
    'clusters',
    'src/service/clusters/clusters.ts',
    '    if (!(await isSilent(',
    '    await lockStates(tx);\n    if (!(await isSilent(',
  ),
  fault(
    'removed',
    'a record whose other owner leaves is not judged again',
    'clusters',
    TRIGGERS,
    'old table as changed\n  for each statement execute',
    'old table as changed\n  for each statement when (false) execute',
  ),
  fault(
    'when-lost',
    'a set that changes whenClusterLost is not judged again',
    'clusters',
    TRIGGERS,
    'when (old.when_cluster_lost <> new.when_cluster_lost)',
    'when (false)',
  ),
  fault(
    'names',
    'the names of corrected records are not announced',
    'watch',
    JUDGE,
    'then names end from marked',
    'then null::text[] end from marked',
  ),
  fault(
    'gap',
    'a time in which nobody watched counts as silence',
    'watch',
    WATCH,
    'then since else now() end',
    'then since else since end',
  ),
  fault(
    'race',
    'a heartbeat that commits meanwhile does not count',
    'watch',
    WATCH,
    'for update of c skip locked',
    'for key share of c',
  ),
  fault(
    'under-way',
    'a cluster is settled before writes that have not seen its state',
    'watch',
    MARKS,
    'pg_snapshot_xmin(pg_current_snapshot()) >= settle_xid as ended',
    'true as ended',
  ),
  fault('pages', 'only the first page of sets is marked', 'watch', MARKS, 'page.seen < SETS_AT_ONCE', 'page.seen > 0'),
  fault(
    'back',
    'a heartbeat does not end the loss',
    'clusters',
    ROWS,
    'lost_at = null,',
    'lost_at = clusters.lost_at,',
  ),
  fault('most', 'a team has any number of clusters', 'clusters', ROWS, '< $3::integer', '< 1000 + $3::integer'),
  fault('member', 'every member drains', 'clusters', SERVICE, "owner, 'owner', async", "owner, 'member', async"),
  fault(
    'reader',
    'a key that only reads sends heartbeats',
    'clusters',
    SERVICE,
    "if (actor.records !== 'write'",
    "if (actor.records === 'none'",
  ),
  fault(
    'removal',
    'a cluster is removed although a write under way has withdrawn records because of it',
    'clusters',
    SERVICE,
    '    await lockStates(tx);\n',
    '',
  ),
  fault(
    'outage',
    'a drain that is committed is answered as not written when the database is lost after that',
    'killed',
    SERVICE,
    'if (outageOf(error) === null) throw error;',
    'throw error;',
  ),
  fault(
    'left',
    'nobody completes a drain whose process was killed',
    'killed',
    'src/service/clusters/watch.ts',
    'if (!isOwn && cluster.sinceMs < leftMs) continue;',
    'if (!isOwn) continue;',
  ),
  fault(
    'locked',
    'the records of a zone that was locked at the moment of the drain are not marked',
    'killed',
    MARKS,
    'for (const zone of locked) await',
    'for (const zone of locked.slice(locked.length)) await',
  ),
  fault(
    'alive',
    'a cluster that sends heartbeats is removed',
    'clusters',
    SERVICE,
    'if (!removed) throw',
    'if (false) throw',
  ),
  {
    ...fault(
      'last',
      'the last records of a type are not served',
      'clusters',
      'src/service/nodes/render.ts',
      '!withdrawn || !kept.has(type)',
      '!withdrawn',
    ),
    project: 'unit',
    tests: ['test/unit/service/nodes/render.test.ts'],
  },
];
