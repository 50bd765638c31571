// Whether the Service of a DNSRecord has a ready endpoint, and the words for it. Pure.
//
//     found before?   EndpointSlices            verdict
//     any             one ready, with the port  Healthy
//     any             none ready                Unhealthy
//     yes             none, or not the port     Unhealthy: the Service, or its port, is gone
//     no              none, or not the port     unknown: a typo must take no address out of DNS
import { type EndpointSlice, hasPort, hasReadyEndpoint } from '#kube/objects/endpoint-slices.ts';
import { type ServiceRef, writeServiceRef } from '#resources/health-from.ts';

export type EndpointVerdict =
  /** `isFound`: the Service exists, with the port; the status keeps that. */
  | { readonly state: 'Healthy' | 'Unhealthy'; readonly reason: string; readonly isFound: boolean }
  /** The addresses count as working, without a signal. */
  | { readonly state: 'Unknown'; readonly reason: string };

export const NOT_READ: EndpointVerdict = {
  state: 'Unknown',
  reason:
    'The operator has not read the EndpointSlices yet; if it lasts, see its log: it may not be allowed to list them.',
};

/**
 * The reasons have no numbers of endpoints, so that they change only with the state.
 * @param slices all EndpointSlices of the Service
 * @param wasFound whether the Service was there before, with the port
 */
export function judgeEndpoints(ref: ServiceRef, slices: readonly EndpointSlice[], wasFound: boolean): EndpointVerdict {
  const { name, port } = ref;
  if (slices.length === 0)
    return wasFound
      ? { state: 'Unhealthy', reason: `The Service ${name} has no EndpointSlice any more.`, isFound: false }
      : {
          state: 'Unknown',
          reason: `No Service ${name} with an EndpointSlice was found in the namespace of this DNSRecord; see spec.healthFrom.serviceRef.name.`,
        };
  const readySlices = slices.filter(hasReadyEndpoint);
  const isPortThere = port === undefined || slices.some((slice) => hasPort(slice, port));
  if (readySlices.length === 0)
    return { state: 'Unhealthy', reason: `No endpoint of the Service ${name} is ready.`, isFound: isPortThere };
  if (port === undefined || readySlices.some((slice) => hasPort(slice, port)))
    return { state: 'Healthy', reason: `An endpoint of the Service ${name} is ready.`, isFound: true };
  if (wasFound || isPortThere)
    return {
      state: 'Unhealthy',
      reason: `No endpoint of the Service ${name} with the port ${port} is ready.`,
      isFound: isPortThere,
    };
  return {
    state: 'Unknown',
    reason: `No endpoint of the Service ${name} has the port ${port}; see spec.healthFrom.serviceRef.port.`,
  };
}

/** Whether the status says that the operator has found the Service. @param found status.foundService */
export function wasServiceFound(ref: ServiceRef, found: string | undefined): boolean {
  return found === writeServiceRef(ref);
}
