// What the solver sees of the cluster, each kept by one watch that goes on whatever fails: readiness depends on none of
// them. It must not know what is made of it.
import type { KubeApi } from '../kube/api.ts';
import type { Clock } from '../kube/clock.ts';
import { findCondition } from '../kube/conditions.ts';
import { createReflector } from '../kube/reflector.ts';
import type { KubeObject, ResourceType } from '../kube/resource.ts';
import { type Cache, createStore, trimObject } from '../kube/store.ts';
import type { Condition } from '../operator/resources/common.ts';
import { DNS_RECORD, type DNSRecord } from '../operator/resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '../operator/resources/dnszone.ts';
import type { Logger } from '../telemetry/log.ts';
import { CHALLENGE, type Challenge } from './challenge.ts';
import { isOurs } from './record.ts';
import { zoneNameIndex } from './zone-match.ts';

const NAMESPACE: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
const CONFIG_MAP: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
/** Where kube-apiserver publishes how aggregated APIs can know it. */
const AUTHENTICATION = { namespace: 'kube-system', fieldSelector: 'metadata.name=extension-apiserver-authentication' };

export interface AuthenticationConfig extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Indexes. */
export const BY_ZONE_NAME = 'zoneName';
export const BY_ZONE = 'zone';
export const BY_KEY = 'key';

export interface Caches {
  readonly zones: Cache<DNSZone>;
  /** Of records that are not the solver's only names are kept. */
  readonly records: Cache<DNSRecord>;
  readonly namespaces: Cache<KubeObject>;
  readonly challenges: Cache<Challenge>;
  readonly authentication: Cache<AuthenticationConfig>;
  /** Watches until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export function createCaches(api: KubeApi, clock: Clock, log: Logger): Caches {
  const running: ((signal: AbortSignal) => Promise<void>)[] = [];
  const cache = <T extends KubeObject>(
    type: ResourceType,
    options: Omit<Parameters<typeof createStore<T>>[0], 'log'> = {},
    scope = {},
  ): Cache<T> => {
    const store = createStore<T>({ ...options, log });
    const reflector = createReflector<T>({ api, type, store, log, clock, scope });
    running.push((signal) => reflector.run(signal));
    return store;
  };
  return {
    zones: cache<DNSZone>(DNS_ZONE, { indexes: { [BY_ZONE_NAME]: zoneNameIndex } }),
    records: cache<DNSRecord>(DNS_RECORD, {
      indexes: { [BY_ZONE]: (record) => [zoneKeyOf(record)] },
      transform: shrink,
    }),
    namespaces: cache<KubeObject>(NAMESPACE),
    challenges: cache<Challenge>(CHALLENGE, { indexes: { [BY_KEY]: ({ spec }) => [spec.key] } }),
    authentication: cache<AuthenticationConfig>(CONFIG_MAP, {}, AUTHENTICATION),
    run: async (signal) => {
      await Promise.all(running.map((run) => run(signal)));
    },
  };
}

/** The key of the zone that a record names. */
export function zoneKeyOf({ metadata, spec }: DNSRecord): string {
  return `${spec.zoneRef.namespace ?? metadata.namespace}/${spec.zoneRef.name}`;
}

/**
 * Ten thousand records of others are there for their names only, and whether they may be there: that is what a wildcard is
 * judged by.
 */
export function shrink(record: DNSRecord): DNSRecord {
  if (isOurs(record)) return trimObject(record);
  const { apiVersion, kind, metadata, spec, status } = record;
  const { name, namespace, uid, resourceVersion } = metadata;
  const kept = { name, namespace, uid, resourceVersion } as DNSRecord['metadata'];
  return {
    apiVersion,
    kind,
    metadata: kept,
    spec: { zoneRef: spec.zoneRef, name: spec.name, type: spec.type } as DNSRecord['spec'],
    ...(isUnwanted(status) ? { status: { conditions: UNWANTED } } : {}),
  };
}

/** Records that the operator keeps out of their zone are in nobody's way, whoever may create DNSRecords somewhere. */
export function isUnwanted(status: DNSRecord['status']): boolean {
  const accepted = findCondition(status?.conditions, 'Accepted');
  return accepted?.status === 'False' && ['NotPermitted', 'InvalidSpec'].includes(accepted.reason);
}

/** One object for all of them: there may be many. */
const UNWANTED: Condition[] = [
  {
    type: 'Accepted',
    status: 'False',
    reason: 'NotPermitted',
    message: '',
    lastTransitionTime: '1970-01-01T00:00:00Z',
  },
];
