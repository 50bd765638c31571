// One log line for every write at the service, under the id of the run that asked for it and the key that the run is
// about. The id is the request's `x-request-id` too, so that the line leads to the row in the service's history.
import type { Around } from '../kube/around.ts';
import type { Clock } from '../kube/clock.ts';
import type { Reconcile, ReconcileContext } from '../kube/controller.ts';
import type { Logger } from '../telemetry/log.ts';

export interface Trace {
  /** The reconciler, with its runs known to `around` for as long as they last. */
  runs(reconcile: Reconcile): Reconcile;
  readonly around: Around;
}

export function createTrace(log: Logger, clock: Clock): Trace {
  const running = new Map<string, ReconcileContext>();
  return {
    runs: (reconcile) => async (key, context) => {
      running.set(context.reconcileId, context);
      try {
        return await reconcile(key, context);
      } finally {
        running.delete(context.reconcileId);
      }
    },
    around: async ({ name, requestId }, run) => {
      const line = running.get(requestId ?? '')?.log ?? log.child({ reconcileId: requestId });
      const start = clock.now();
      const ms = () => Math.round(clock.now() - start);
      try {
        const answer = await run();
        line.info({ write: name, ms: ms() }, 'written');
        return answer;
      } catch (error) {
        line.debug({ write: name, ms: ms(), err: error }, 'not written');
        throw error;
      }
    },
  };
}
