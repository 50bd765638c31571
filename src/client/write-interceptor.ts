// Interceptors of every write to the DNS service.
import type { WriteInterceptor } from '#base/write-interceptor.ts';
import { sendHeartbeat } from '#contract/operations/clusters.ts';
import type { Client } from './client.ts';

/**
 * The same client, with `intercept` called for each call that writes, by the id of the operation. A heartbeat writes no
 * DNS data.
 */
export function interceptClientWrites(client: Client, intercept: WriteInterceptor): Client {
  return {
    ...client,
    call: (operation, input, options = {}) => {
      const work = () => client.call(operation, input, options);
      if (operation.method === 'GET' || operation.id === sendHeartbeat.id) return work();
      const { requestId, requestIds } = options;
      return intercept({ name: operation.id, requestId, requestIds }, work);
    },
  };
}
