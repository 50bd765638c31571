// The caches of the solver: zones, records, namespaces, Challenges and the front proxy's configuration, each filled by
// one watch. A failed watch is retried without end, and readiness does not depend on any of them.

import type { Clock } from '#base/clock.ts';
import type { KubeApi } from '#kube/api/api.ts';
import { createReflector } from '#kube/cache/reflector.ts';
import { type Cache, createStore, trimObject } from '#kube/cache/store.ts';
import { type Condition, findCondition } from '#kube/objects/conditions.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { zoneKeyOf, zoneNameIndex } from '#resources/zone-ref.ts';
import type { Logger } from '#telemetry/log.ts';
import { CHALLENGE, type Challenge } from './challenge.ts';
import { isOurs } from './record.ts';

const CONFIG_MAP: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
/** The ConfigMap in which kube-apiserver publishes how aggregated APIs can authenticate it. */
const AUTHENTICATION = { namespace: 'kube-system', fieldSelector: 'metadata.name=extension-apiserver-authentication' };

interface AuthenticationConfig extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** The names of the indexes. */
export const ZONES_BY_NAME = 'zoneName';
export const RECORDS_BY_ZONE = 'zone';
export const BY_KEY = 'key';

export interface Caches {
  readonly zones: Cache<DNSZone>;
  /** Records that the solver did not create are reduced to their names; see shrink. */
  readonly records: Cache<DNSRecord>;
  readonly namespaces: Cache<KubeObject>;
  readonly challenges: Cache<Challenge>;
  readonly authentication: Cache<AuthenticationConfig>;
  /** Watches until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Objects per page of a list: while a page is read, memory holds it three times, as octets, text and objects. */
const PAGE_SIZE = 100;

export function createCaches(api: KubeApi, clock: Clock, log: Logger): Caches {
  const reflectorRuns: ((signal: AbortSignal) => Promise<void>)[] = [];
  const cache = <T extends KubeObject>(
    type: ResourceType,
    options: Omit<Parameters<typeof createStore<T>>[0], 'log'> = {},
    scope = {},
  ): Cache<T> => {
    const store = createStore<T>({ ...options, log });
    const reflector = createReflector<T>({ api, type, store, log, clock, scope, pageSize: PAGE_SIZE });
    reflectorRuns.push((signal) => reflector.run(signal));
    return store;
  };
  return {
    zones: cache<DNSZone>(DNS_ZONE, { indexes: { [ZONES_BY_NAME]: zoneNameIndex } }),
    records: cache<DNSRecord>(DNS_RECORD, {
      indexes: { [RECORDS_BY_ZONE]: (record) => [zoneKeyOf(record)] },
      transform: shrink,
    }),
    namespaces: cache<KubeObject>(NAMESPACE),
    challenges: cache<Challenge>(CHALLENGE, { indexes: { [BY_KEY]: ({ spec }) => [spec.key] } }),
    authentication: cache<AuthenticationConfig>(CONFIG_MAP, {}, AUTHENTICATION),
    run: async (signal) => {
      await Promise.all(reflectorRuns.map((run) => run(signal)));
    },
  };
}

/**
 * Reduces a record that the solver did not create to the facts that decide about wildcards: its name, and whether the
 * operator refused it. A cluster may have ten thousand of them.
 */
export function shrink(record: DNSRecord): DNSRecord {
  if (isOurs(record)) return trimObject(record);
  const { apiVersion, kind, metadata, spec, status } = record;
  const { name, namespace, uid, resourceVersion } = metadata;
  const keptMetadata = { name, namespace, uid, resourceVersion } as DNSRecord['metadata'];
  return {
    apiVersion,
    kind,
    metadata: keptMetadata,
    spec: { zoneRef: spec.zoneRef, name: spec.name, type: spec.type } as DNSRecord['spec'],
    ...(isUnwanted(status) ? { status: { conditions: UNWANTED } } : {}),
  };
}

/** A record that the operator refused is not in its zone, so it has no effect on wildcards. */
export function isUnwanted(status: DNSRecord['status']): boolean {
  const acceptedCondition = findCondition(status?.conditions, 'Accepted');
  return acceptedCondition?.status === 'False' && ['NotPermitted', 'InvalidSpec'].includes(acceptedCondition.reason);
}

/** All refused records share this object, because there may be many. */
const UNWANTED: Condition[] = [
  {
    type: 'Accepted',
    status: 'False',
    reason: 'NotPermitted',
    message: '',
    lastTransitionTime: '1970-01-01T00:00:00Z',
  },
];
