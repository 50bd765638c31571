// A user's calls to the API server over one connection: the effects of `kubectl apply`, `get`, `patch`, `delete` and
// `wait`, without a process for each call, which costs a fifth of a second of processor time. Tests run kubectl only if
// its output matters.
import { realClock } from '#base/clock.ts';
import type { KubeApi } from '#kube/api/api.ts';
import { connectCluster } from '#kube/api/cluster.ts';
import { isNotFound } from '#kube/api/errors.ts';
import { watchOnce } from '#kube/cache/watch.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';

export interface KubeUser {
  /** For calls that are not here. */
  readonly api: KubeApi;
  /**
   * Server-side apply, one object after the other. @throws KubeError of the first that is refused; the others are
   * applied
   */
  apply(objects: readonly object[]): Promise<void>;
  /** @param name as kubectl has it, such as `zdr/www`; the namespace of cluster-scoped objects is ignored */
  get<T = KubeObject>(name: string, namespace?: string): Promise<T>;
  /** @param namespace Absent: all. */
  list<T = KubeObject>(kind: string, namespace?: string): Promise<T[]>;
  /** A merge patch (RFC 7396). */
  patch(name: string, change: object, namespace?: string): Promise<void>;
  /** Deletes, and does not wait; an object that is gone already is fine. */
  remove(name: string, namespace?: string): Promise<void>;
  /**
   * Watches the objects of one kind until none of them is wrong.
   * @throws with the sentences of the last look after `seconds`
   */
  until(kind: string, namespace: string, wrong: (objects: ByName) => string[], seconds: number): Promise<void>;
  close(): Promise<void>;
}

export type ByName = ReadonlyMap<string, KubeObject>;

const core = (plural: string, kind: string, namespaced: boolean): ResourceType => ({
  group: '',
  version: 'v1',
  plural,
  kind,
  namespaced,
});
const CLUSTER_SCOPED = /^(Namespace|Cluster\w+|CustomResourceDefinition|ValidatingAdmissionPolicy\w*|APIService)$/;
const TYPES: Readonly<Record<string, ResourceType>> = {
  zdz: DNS_ZONE,
  zdr: DNS_RECORD,
  namespace: core('namespaces', 'Namespace', false),
  secret: core('secrets', 'Secret', true),
  event: { ...core('events', 'Event', true), group: 'events.k8s.io' },
  challenge: {
    group: 'acme.cert-manager.io',
    version: 'v1',
    plural: 'challenges',
    kind: 'Challenge',
    namespaced: true,
  },
  certificate: {
    group: 'cert-manager.io',
    version: 'v1',
    plural: 'certificates',
    kind: 'Certificate',
    namespaced: true,
  },
  certificaterequest: {
    group: 'cert-manager.io',
    version: 'v1',
    plural: 'certificaterequests',
    kind: 'CertificateRequest',
    namespaced: true,
  },
};
const SILENCE_MS = 30_000;

/** @param kubeconfig a file, as startControlPlane writes it */
export async function kubeUser(kubeconfig: string): Promise<KubeUser> {
  const { api, close } = await connectCluster({ kubeconfig });
  const apply = async (object: object) => {
    const { apiVersion, kind, metadata, ...rest } = object as KubeObject;
    const type = toResourceType(apiVersion, kind);
    const namespace = type.namespaced ? (metadata.namespace ?? 'default') : undefined;
    await api.apply(type, { ...rest, metadata: { ...metadata, namespace } } as never, { fieldManager: 'test' });
  };
  return {
    api,
    apply: async (objects) => {
      const refusals: unknown[] = [];
      for (const object of objects) await apply(object).catch((error: unknown) => refusals.push(error));
      if (refusals.length > 0) throw refusals[0];
    },
    get: (name, namespace) => api.get(...parsePlace(name, namespace)) as never,
    list: async (kind, namespace) => (await api.list(typeNamed(kind), { namespace })).items as never,
    patch: async (name, change, namespace) => void (await api.merge(...parsePlace(name, namespace), change)),
    remove: (name, namespace) =>
      api.delete(...parsePlace(name, namespace)).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      }),
    until: async (kind, namespace, wrong, seconds) => {
      const type = typeNamed(kind);
      const limit = AbortSignal.timeout(seconds * 1_000);
      for (;;) {
        const { items, resourceVersion } = await api.list(type, { namespace });
        const objects = new Map(items.map((object) => [object.metadata.name, object]));
        const met = new AbortController();
        let left = wrong(objects);
        if (left.length === 0) return;
        const settings = {
          ...{ api, type, scope: { namespace }, resourceVersion, clock: realClock },
          ...{ timeoutSeconds: Math.ceil(seconds), silenceMs: SILENCE_MS },
          onEvent: (event: { type: string; object?: KubeObject }) => {
            if (event.object === undefined) return;
            const { name } = event.object.metadata;
            if (event.type === 'DELETED') objects.delete(name);
            else objects.set(name, event.object);
            left = wrong(objects);
            if (left.length === 0) met.abort();
          },
        };
        // It ends by our signal, or the server closes it: then we list again.
        await watchOnce(settings, AbortSignal.any([limit, met.signal])).catch(() => undefined);
        if (left.length === 0) return;
        if (limit.aborted) throw new Error(`after ${seconds} s: ${left.join('; ')}`);
      }
    },
    close,
  };
}

/** @param kind as kubectl has it, such as `zdr` @throws for one that is not in the table */
export function typeNamed(kind: string): ResourceType {
  const type = TYPES[kind];
  if (type === undefined) throw new Error(`the test does not know the kind ${kind}, only ${Object.keys(TYPES)}`);
  return type;
}

function parsePlace(words: string, namespace = 'default'): [ResourceType, { namespace?: string; name: string }] {
  const [kind = '', name = ''] = words.split('/');
  const type = typeNamed(kind);
  return [type, type.namespaced ? { namespace, name } : { name }];
}

function toResourceType(apiVersion: string, kind: string): ResourceType {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const lower = kind.toLowerCase();
  const plural = lower.endsWith('y') ? `${lower.slice(0, -1)}ies` : lower.endsWith('s') ? `${lower}es` : `${lower}s`;
  return { group, version, kind, plural, namespaced: !CLUSTER_SCOPED.test(kind) };
}
