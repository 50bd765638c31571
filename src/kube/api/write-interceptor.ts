// Interceptors of every write to the API server.
import type { WriteInterceptor } from '#base/write-interceptor.ts';
import type { KubeApi } from './api.ts';

/**
 * The same calls, with `intercept` called for each one that writes; names are `merge dnszones`, `status dnsrecords`, …
 */
export function interceptKubeWrites(api: KubeApi, intercept: WriteInterceptor): KubeApi {
  return {
    ...api,
    create: (type, object, signal) =>
      intercept({ name: `create ${type.plural}` }, () => api.create(type, object, signal)) as never,
    apply: (type, object, options, signal) =>
      intercept({ name: `apply ${type.plural}` }, () => api.apply(type, object, options, signal)) as never,
    merge: (type, object, patch, options, signal) =>
      intercept({ name: `${options?.subresource ?? 'merge'} ${type.plural}` }, () =>
        api.merge(type, object, patch, options, signal),
      ) as never,
    replaceStatus: (type, object, options, signal) =>
      intercept({ name: `status ${type.plural}` }, () => api.replaceStatus(type, object, options, signal)) as never,
    delete: (type, object, options, signal) =>
      intercept({ name: `delete ${type.plural}` }, () => api.delete(type, object, options, signal)),
  };
}
