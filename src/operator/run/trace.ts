// Connects an Event with the history of the service through one id, the id of the run. The id is in every log line and
// in the span of the run, in the `x-request-id` of its requests (in a batch: the `requestId` of its change), and in its
// Events.

import type { Clock } from '#base/clock.ts';
import type { WriteInterceptor } from '#base/write-interceptor.ts';
import type { TraceCall } from '#client/http.ts';
import type { Reconcile, ReconcileContext } from '#kube/controller/controller.ts';
import type { EventRecorder } from '#kube/events/events.ts';
import { type KubeObject, keyOf, splitKey } from '#kube/objects/resource.ts';
import { REQUEST_ID_ANNOTATION } from '#resources/names.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Span, Tracing } from '#telemetry/span.ts';
import { inSpan } from '#telemetry/tracing.ts';

export interface Trace {
  /** Returns the reconciler of a kind, with its runs traced. */
  runs(kind: string, reconcile: Reconcile): Reconcile;
  /** A log line for every write, one for every change of a batch. */
  readonly intercept: WriteInterceptor;
  /** The namespace of the object whose run has this id; '' if there is no such run. */
  namespaceOf(requestId: string | undefined): string;
  /** Creates a span for every call to the service, below the span of its run. */
  readonly calls: TraceCall;
  /**
   * Returns the recorder, which adds {@link REQUEST_ID_ANNOTATION} to its Events: the id of the last run that wrote for
   * the object, if no Event has reported that run yet, and otherwise the id of the current run.
   */
  events(recorder: EventRecorder): EventRecorder;
}

interface Run {
  readonly object: string;
  readonly namespace: string;
  /** The context creates its logger on first use; most runs never use it. */
  readonly context: ReconcileContext;
  readonly span: Span;
}

const MAX_UNREPORTED = 4_096;

export function createTrace(log: Logger, clock: Clock, tracing: Tracing): Trace {
  const runsById = new Map<string, Run>();
  /** Run ids by object. A later run may prove a write, and no Event reports some writes, such as deletions. */
  const current = new Map<string, string>();
  const idByObject = new Map<string, string>();

  const findLogger = (id: string): Logger => runsById.get(id)?.context.log ?? log.child({ reconcileId: id });

  return {
    runs: (kind, reconcile) => (key, context) => {
      const { reconcileId: id } = context;
      const object = `${kind} ${key}`;
      const attributes = { 'zonestead.object': object, 'zonestead.request_id': id };
      return inSpan(tracing, { name: `reconcile ${kind}`, kind: 'internal', attributes }, async (span) => {
        runsById.set(id, { object, namespace: splitKey(key).namespace ?? '', context, span });
        current.set(object, id);
        try {
          return await reconcile(key, context);
        } finally {
          runsById.delete(id);
          current.delete(object);
        }
      });
    },
    intercept: async ({ name, requestId, requestIds = requestId === undefined ? [] : [requestId] }, run) => {
      const start = clock.now();
      const fields = () => ({
        write: name,
        ms: Math.round(clock.now() - start),
        ...(requestIds.length > 1 ? { changes: requestIds.length } : {}),
      });
      try {
        const answer = await run();
        for (const id of new Set(requestIds)) {
          findLogger(id).info(fields(), 'written');
          const object = runsById.get(id)?.object;
          if (object !== undefined) idByObject.set(object, id);
        }
        for (const oldest of idByObject.keys()) {
          if (idByObject.size <= MAX_UNREPORTED) break;
          idByObject.delete(oldest);
        }
        return answer;
      } catch (error) {
        for (const id of new Set(requestIds)) findLogger(id).debug({ ...fields(), err: error }, 'not written');
        throw error;
      }
    },
    namespaceOf: (id = '') => runsById.get(id)?.namespace ?? '',
    calls: ({ method, path, requestId = '', requestIds = [] }) => {
      const begin = () =>
        tracing.begin({
          name: method,
          kind: 'client',
          links: requestIds.flatMap((id) => (id === requestId ? [] : (runsById.get(id)?.span ?? []))),
          attributes: { 'http.request.method': method, 'url.path': path, 'zonestead.request_id': requestId },
        });
      const span = runsById.get(requestId)?.span.around(begin) ?? begin();
      return {
        headers: span.headers(),
        end: (status) => {
          if (status > 0) span.set({ 'http.response.status_code': status });
          span.end(status === 0 ? 'no answer' : status >= 400 ? `answered ${status}` : undefined);
        },
      };
    },
    events: (recorder) => ({
      run: (signal) => recorder.run(signal),
      flush: (signal) => recorder.flush(signal),
      record: (regarding, event) => {
        const object = formatName(regarding);
        const id = idByObject.get(object) ?? current.get(object);
        idByObject.delete(object);
        recorder.record(
          regarding,
          id === undefined ? event : { ...event, annotations: { [REQUEST_ID_ANNOTATION]: id } },
        );
      },
    }),
  };
}

function formatName(object: KubeObject): string {
  return `${object.kind} ${keyOf(object)}`;
}
