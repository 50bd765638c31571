// Connects the watch of checks, and the signals about Services, with the operator: the keys that read and send them,
// and the DNSRecords that run.
import type { Logger } from '#telemetry/log.ts';
import type { OperatorContext } from '../access/context.ts';
import { findHolder } from '../cluster/reports.ts';
import type { FollowedServices } from './services.ts';
import { ServiceSignals } from './signals.ts';
import { CheckWatch } from './watch.ts';

type Connected = Pick<
  OperatorContext,
  'clock' | 'zones' | 'records' | 'credentials' | 'cluster' | 'isNameTaken' | 'isEtcdRestored' | 'enqueueRecord'
>;

/**
 * @param namespaces those that the operator watches; undefined: all
 * @param everyMs the time between two looks, in ms
 */
export function createCheckWatch(
  context: Connected,
  log: Logger,
  namespaces: readonly string[] | undefined,
  everyMs?: number,
): CheckWatch {
  const { credentials } = context;
  return new CheckWatch({
    ...context,
    log,
    namespaces,
    everyMs,
    holderOf: (zone) => findHolder(credentials, zone),
    own: async (signal) => ({
      client: credentials.own.client,
      owner: await credentials.own.owner(signal),
      isOwn: true,
    }),
    // The checks of another cluster with the same name look like leftovers, and so do those of objects that an older
    // etcd does not have.
    mayDelete: (zone) => context.isEtcdRestored(zone) === false && (!zone || context.isNameTaken(zone) === false),
  });
}

export function createServiceSignals(
  context: Connected & { readonly checks: CheckWatch },
  services: FollowedServices,
  log: Logger,
): ServiceSignals {
  return new ServiceSignals({
    ...context,
    services,
    log,
    holderOf: (zone) => findHolder(context.credentials, zone),
    maySend: (zone) => context.isNameTaken(zone) === false,
  });
}
