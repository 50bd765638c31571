// The calls about single objects wait for the turn of their namespace.
import type { Limit } from '#base/limit.ts';
import type { KubeApi } from './api.ts';

/** The same calls, in turns. Lists, watches and Events do not wait. */
export function inTurns(api: KubeApi, calls: Pick<Limit, 'run'>): KubeApi {
  return {
    ...api,
    get: (type, at, signal) => calls.run(at.namespace ?? '', () => api.get(type, at, signal), signal) as never,
    merge: (type, at, patch, options, signal) =>
      calls.run(at.namespace ?? '', () => api.merge(type, at, patch, options, signal), signal) as never,
    replaceStatus: (type, object, options, signal) =>
      calls.run(
        object.metadata.namespace ?? '',
        () => api.replaceStatus(type, object, options, signal),
        signal,
      ) as never,
  };
}
