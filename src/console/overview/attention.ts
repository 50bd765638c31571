// The problems that a person should solve: name servers that lag, clusters that are down, objects that are not Ready,
// addresses that do not work, zones that their parent does not delegate, and dangling names. Pure.

import type { ListedCheck } from '#service/checks/view.ts';
import { countDangling, type DanglingView, hasMissingDomain } from '#service/dangling/list.ts';
import type { Overview } from '#service/overview/overview.ts';
import type { DelegationState } from '#service/zones/delegation.ts';
import { addressOfCheck } from '../checks/address.ts';
import { labelCluster } from '../shell/owner-label.ts';
import { addressOfZone } from '../zones/head.ts';

interface Attention {
  /** One sentence. */
  text: string;
  /** The page with the next step. */
  address: string;
  kind: 'warn' | 'failed';
}

/** A zone with the answer of its parent. Null: it has not answered in time. */
export interface CheckedZone {
  id: string;
  zoneName: string;
  delegation: DelegationState | null;
}

type Shown = Pick<Overview, 'clusters' | 'nodes'>;

/** @param dangling the first dangling names of all zones */
export function listAttention(
  { clusters, nodes }: Shown,
  checkedZones: readonly CheckedZone[],
  dangling: readonly DanglingView[],
  failingChecks: readonly Pick<ListedCheck, 'name' | 'owner' | 'counts'>[],
): Attention[] {
  const late = (nodes?.late ?? []).map(
    (node): Attention => ({ text: `The name server ${node} is behind.`, address: '/console/zones', kind: 'warn' }),
  );
  const away = clusters.flatMap(({ name, owner, state, objects }): Attention[] => {
    const shared = { address: clustersAddress(owner) };
    const cluster = `The cluster ${labelCluster(name)}`;
    const lost: Attention = { ...shared, text: `${cluster} has sent no heartbeat for a minute.`, kind: 'failed' };
    const count = objects?.notReady ?? 0;
    const words = count === 1 ? '1 object that is not Ready' : `${count} objects that are not Ready`;
    const waiting: Attention = { ...shared, text: `${cluster} has ${words}. Ask kubectl zonestead why.`, kind: 'warn' };
    return [...(state === 'lost' ? [lost] : []), ...(count > 0 ? [waiting] : [])];
  });
  const withoutDelegation = listWithoutDelegation(checkedZones).map(
    ({ id, zoneName }): Attention => ({
      text: `${zoneName} is not delegated, or its DS record is missing.`,
      address: `${addressOfZone(id)}/delegation`,
      kind: 'warn',
    }),
  );
  const failing = failingChecks.map(({ name, owner, counts: { unhealthy } }): Attention => {
    const words = unhealthy === 1 ? '1 address that does not work' : `${unhealthy} addresses that do not work`;
    return { text: `The check ${name} has ${words}.`, address: addressOfCheck(owner, name), kind: 'warn' };
  });
  return [...late, ...away, ...failing, ...withoutDelegation, ...listDangling(dangling)];
}

/** One problem for each zone. */
function listDangling(dangling: readonly DanglingView[]): Attention[] {
  return [...Map.groupBy(dangling, ({ zoneId }) => zoneId)].map(([zoneId, names]) => ({
    text: `${names[0]?.zoneName} has ${countDangling(names)}, which others can take over.`,
    address: `${addressOfZone(zoneId)}/dangling`,
    kind: hasMissingDomain(names) ? 'failed' : 'warn',
  }));
}

export function listWithoutDelegation(checkedZones: readonly CheckedZone[]): CheckedZone[] {
  return checkedZones.filter(({ delegation }) => delegation?.seen === 'insecure' || delegation?.seen === 'absent');
}

/** The four figures at the top of the page. */
export function listTiles({ totals, nodes, clusters }: Shown & Pick<Overview, 'totals'>) {
  const counts = clusters.flatMap(({ objects }) => (objects === null ? [] : [objects]));
  const notReady = counts.reduce((sum, each) => sum + each.notReady, 0);
  const lateCount = nodes?.late.length ?? 0;
  return [
    { id: 'tile-zones', name: 'Zones', value: totals.zones.toLocaleString('en'), isWarning: false },
    { id: 'tile-records', name: 'Records', value: totals.records.toLocaleString('en'), isWarning: false },
    ...(nodes === null
      ? []
      : [
          {
            ...{ id: 'tile-nodes', name: 'Name servers up to date', isWarning: lateCount > 0 || nodes.living === 0 },
            value: `${Math.max(0, nodes.living - lateCount)} of ${nodes.living}`,
          },
        ]),
    ...(counts.length === 0
      ? []
      : [{ id: 'tile-objects', name: 'Objects not Ready', value: String(notReady), isWarning: notReady > 0 }]),
  ];
}

function clustersAddress(owner: string): string {
  const team = /^org:(.+)$/.exec(owner)?.[1];
  return team === undefined ? '/console/' : `/console/teams/${encodeURIComponent(team)}/clusters`;
}
