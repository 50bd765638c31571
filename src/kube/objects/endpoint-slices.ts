// EndpointSlices: the endpoints of Services, as far as a reader wants to know whether one of them is ready. Pure.
import { type KubeObject, keyOf, type ResourceType } from './resource.ts';

export const ENDPOINT_SLICE: ResourceType = {
  group: 'discovery.k8s.io',
  version: 'v1',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
};

/** The label with the name of the Service. A slice without it belongs to none. */
export const SERVICE_NAME = 'kubernetes.io/service-name';

interface Endpoint {
  /** Absent: ready, by the API of Kubernetes. */
  readonly conditions?: { readonly ready?: boolean | null };
}

export interface EndpointSlice extends KubeObject {
  /** Null for a Service without endpoints. */
  readonly endpoints?: readonly Endpoint[] | null;
  readonly ports?: readonly { readonly name?: string | null; readonly port?: number | null }[] | null;
}

export function hasReadyEndpoint({ endpoints }: EndpointSlice): boolean {
  return (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false);
}

/** Whether the endpoints of the slice have the port. @param port its name, or its number at the pods */
export function hasPort({ ports }: EndpointSlice, port: string | number): boolean {
  return (ports ?? []).some((each) => each.name === port || each.port === port);
}

/** `namespace/name` of the Service; undefined: the slice belongs to none. */
export function serviceKeyOf({ metadata }: EndpointSlice): string | undefined {
  const name = metadata.labels?.[SERVICE_NAME];
  return name === undefined ? undefined : keyOf({ metadata: { namespace: metadata.namespace, name } });
}

/** The slice with one ready endpoint at most and without addresses, so that a cache of the whole cluster is small. */
export function trimSlice(slice: EndpointSlice): EndpointSlice {
  const { apiVersion, kind, metadata, ports } = slice;
  const { name, namespace, uid, resourceVersion, labels } = metadata;
  const service = labels?.[SERVICE_NAME];
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(service === undefined ? {} : { labels: { [SERVICE_NAME]: service } }),
    },
    endpoints: hasReadyEndpoint(slice) ? [{ conditions: { ready: true } }] : [],
    ports: (ports ?? []).map((each) => ({ name: each.name ?? null, port: each.port ?? null })),
  };
}
