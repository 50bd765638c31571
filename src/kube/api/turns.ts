// The calls about single objects wait for the turn of their namespace.
import type { TakeTurn } from '#base/fair/turns.ts';
import type { KubeApi } from './api.ts';

/** The same calls, in turns. Lists, watches and Events do not wait. */
export function inTurns(api: KubeApi, take: TakeTurn): KubeApi {
  return {
    ...api,
    get: (type, at, signal) => take(at.namespace ?? '', () => api.get(type, at, signal), signal) as never,
    merge: (type, at, patch, options, signal) =>
      take(at.namespace ?? '', () => api.merge(type, at, patch, options, signal), signal) as never,
    replaceStatus: (type, object, options, signal) =>
      take(object.metadata.namespace ?? '', () => api.replaceStatus(type, object, options, signal), signal) as never,
  };
}
