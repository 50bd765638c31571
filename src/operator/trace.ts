// One id from an Event to the history of the service: that of the run. It is in every line of the run's log, in its span, in
// the `x-request-id` of its requests (in a batch: in the `requestId` of its change), and in the Events that it leaves. It must
// not know what a run does.
import type { TraceCall } from '../client/http.ts';
import type { Around } from '../kube/around.ts';
import type { Clock } from '../kube/clock.ts';
import type { Reconcile, ReconcileContext } from '../kube/controller.ts';
import type { EventRecorder } from '../kube/events.ts';
import { type KubeObject, keyOf } from '../kube/resource.ts';
import type { Logger } from '../telemetry/log.ts';
import { inSpan, type Span, type Tracing } from '../telemetry/tracing.ts';
import { REQUEST_ID } from './names.ts';

export interface Trace {
  /** The reconciler of a kind, with its runs known here for as long as they last. */
  runs(kind: string, reconcile: Reconcile): Reconcile;
  /** A log line for every write, one for every change of a batch. */
  readonly around: Around;
  /** A span for every call to the service, below that of the run which asked for it. */
  readonly calls: TraceCall;
  /**
   * The recorder, whose events carry {@link REQUEST_ID}: of the run that wrote what the event is about, when no event has
   * told of that yet, and of the run under way otherwise.
   */
  events(recorder: EventRecorder): EventRecorder;
}

interface Run {
  readonly object: string;
  /** Its log is made when it is first asked for, which most runs never do. */
  readonly context: ReconcileContext;
  readonly span: Span;
}

const MOST_UNTOLD = 4_096;

export function createTrace(log: Logger, clock: Clock, tracing: Tracing): Trace {
  const running = new Map<string, Run>();
  /** Ids by object. What proves a write may come with a later run; of some writes (deletions) nothing is told. */
  const current = new Map<string, string>();
  const untold = new Map<string, string>();

  const noteOf = (id: string): Logger => running.get(id)?.context.log ?? log.child({ reconcileId: id });

  return {
    runs: (kind, reconcile) => (key, context) => {
      const { reconcileId: id } = context;
      const object = `${kind} ${key}`;
      const attributes = { 'zonestead.object': object, 'zonestead.request_id': id };
      return inSpan(tracing, { name: `reconcile ${kind}`, kind: 'internal', attributes }, async (span) => {
        running.set(id, { object, context, span });
        current.set(object, id);
        try {
          return await reconcile(key, context);
        } finally {
          running.delete(id);
          current.delete(object);
        }
      });
    },
    around: async ({ name, requestId, requestIds = requestId === undefined ? [] : [requestId] }, run) => {
      const start = clock.now();
      const told = () => ({
        write: name,
        ms: Math.round(clock.now() - start),
        ...(requestIds.length > 1 ? { changes: requestIds.length } : {}),
      });
      try {
        const answer = await run();
        for (const id of new Set(requestIds)) {
          noteOf(id).info(told(), 'written');
          const object = running.get(id)?.object;
          if (object !== undefined) untold.set(object, id);
        }
        for (const oldest of untold.keys()) {
          if (untold.size <= MOST_UNTOLD) break;
          untold.delete(oldest);
        }
        return answer;
      } catch (error) {
        for (const id of new Set(requestIds)) noteOf(id).debug({ ...told(), err: error }, 'not written');
        throw error;
      }
    },
    calls: ({ method, path, requestId = '', requestIds = [] }) => {
      const begin = () =>
        tracing.begin({
          name: method,
          kind: 'client',
          links: requestIds.flatMap((id) => (id === requestId ? [] : (running.get(id)?.span ?? []))),
          attributes: { 'http.request.method': method, 'url.path': path, 'zonestead.request_id': requestId },
        });
      const span = running.get(requestId)?.span.around(begin) ?? begin();
      return {
        headers: span.headers(),
        end: (status) => {
          if (status > 0) span.set({ 'http.response.status_code': status });
          span.end(status === 0 ? 'no answer' : status >= 400 ? `answered ${status}` : undefined);
        },
      };
    },
    events: (recorder) => ({
      ...recorder,
      record: (regarding, event) => {
        const object = nameOf(regarding);
        const id = untold.get(object) ?? current.get(object);
        untold.delete(object);
        recorder.record(regarding, id === undefined ? event : { ...event, annotations: { [REQUEST_ID]: id } });
      },
    }),
  };
}

function nameOf(object: KubeObject): string {
  return `${object.kind} ${keyOf(object)}`;
}
