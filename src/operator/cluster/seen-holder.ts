// The state of the heartbeats for one holder of zones: the last answer of the service, and what was sent before it.
import type { Client } from '#client/client.ts';
import type { Cluster } from '#contract/clusters.ts';

/** A team or person, with a key that may write the records of its zones. */
export interface Holder {
  readonly client: Pick<Client, 'call'>;
  /** `org:<teamId>`, or `personal`. */
  readonly owner: string;
  /** Whether the key is that of the operator, and not that of a DNSZone. */
  readonly isOwn: boolean;
}

export interface Seen {
  readonly holder: Holder;
  state: Pick<Cluster, 'state' | 'settled' | 'etcdRestoredAt' | 'olderAcceptedAt'> | null;
  /** The time of the renewal that the last answered heartbeat told. */
  renewalAt: number;
  /** The id of the seen restore that an answered heartbeat told. */
  toldRestore: string | undefined;
  /** Whether another cluster has the name; null until the service has answered. */
  isTaken: boolean | null;
  /** The last count of objects, and its time. Null: the service does not take it, or has not answered. */
  counted: { objects: { total: number; notReady: number }; at: number } | null;
  /** The numbers of the changes by others that the last answer told. */
  told: ReadonlySet<number>;
  /** The failure that was logged last; null after a success. */
  problem: string | null;
  /** Whether the service refuses the key of a DNSZone, because it has no right to send heartbeats. */
  isUnwanted: boolean;
  /** The time of the last success, or of the first attempt. */
  acceptedAt: number;
}

/** The fields of a holder before its first answer. */
export const UNKNOWN = { state: null, isTaken: null, renewalAt: 0, toldRestore: undefined } as const;

/** Records of a drained cluster are withdrawn a part at a time, until the service says that it is settled. */
export function isNews(before: Seen['state'], { state, settled }: NonNullable<Seen['state']>): boolean {
  const [was, is] = [before?.state === 'drained', state === 'drained'];
  return before === null || was !== is || (is && settled && !before.settled);
}
