// The id of a run in its log lines, its spans and its Events, also when several runs share one request.
import { expect, test } from 'vitest';
import type { EventRecorder, EventToRecord } from '#kube/events/events.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import { createTrace } from '#operator/run/trace.ts';
import { createLogger } from '#telemetry/log.ts';
import type { Span, SpanOptions, Tracing } from '#telemetry/span.ts';
import { FakeClock } from '../../support/time/fake-clock.ts';

const never = new AbortController().signal;
const REQUEST_ID = 'zonestead.dev/request-id';

function setUp() {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({ name: 'operator', destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const spans: (SpanOptions & { parent: string | undefined; end?: unknown })[] = [];
  let inside: string | undefined;
  const begin: Tracing['begin'] = (options) => {
    const span = { ...options, parent: inside };
    spans.push(span);
    const own: Span = {
      around: (work) => {
        const before = inside;
        inside = options.name;
        try {
          return work();
        } finally {
          inside = before;
        }
      },
      set: () => undefined,
      end: (failure) => void Object.assign(span, { end: failure ?? 'fine' }),
      headers: () => ({ traceparent: options.name }),
    };
    return own;
  };
  const trace = createTrace(log, new FakeClock(), { isOn: true, begin, close: async () => undefined });
  const events: [string, EventToRecord][] = [];
  const recorder: EventRecorder = {
    record: (regarding, event) => void events.push([regarding.metadata.name, event]),
    run: async () => undefined,
    flush: async () => undefined,
  };
  const run = (key: string, reconcileId: string, work: () => Promise<void>) =>
    trace.runs('DNSRecord', work)(key, { signal: never, reconcileId, log: log.child({ reconcileId, key }) });
  return { trace, lines, spans, events, run, record: trace.events(recorder).record };
}

const object = (name: string) => ({ kind: 'DNSRecord', metadata: { namespace: 'default', name } }) as KubeObject;
const ready: EventToRecord = { type: 'Normal', reason: 'Ready', action: 'Reconcile', note: 'served' };

test('a batch of two runs logs a line for each, with its own id and key, and for no other run', async () => {
  const { trace, lines, run } = setUp();
  const batch = { name: 'applyBatch', requestId: 'id-1', requestIds: ['id-1', 'id-2'] };
  await run(
    'default/one',
    'id-1',
    () => run('default/two', 'id-2', () => trace.intercept(batch, async () => undefined)) as Promise<void>,
  );
  expect(lines).toMatchObject([
    { reconcileId: 'id-1', key: 'default/one', write: 'applyBatch', changes: 2, msg: 'written' },
    { reconcileId: 'id-2', key: 'default/two', write: 'applyBatch', changes: 2, msg: 'written' },
  ]);
});

test('a batch of two runs is one call below the first run, with a link to the other', async () => {
  const { trace, spans, run } = setUp();
  await run(
    'default/one',
    'id-1',
    () =>
      run('default/two', 'id-2', async () => {
        const call = {
          method: 'POST',
          path: '/v1/dns/zones/z/records:batch',
          requestId: 'id-1',
          requestIds: ['id-1', 'id-2'],
        };
        const { headers, end } = trace.calls(call);
        expect(headers).toEqual({ traceparent: 'POST' });
        end(503);
      }) as Promise<void>,
  );
  const call = spans.find(({ name }) => name === 'POST');
  expect(call).toMatchObject({ parent: 'reconcile DNSRecord', kind: 'client', end: 'answered 503' });
  expect(call?.links).toHaveLength(1);
});

test('an Event has the id of the current run', async () => {
  const { events, run, record } = setUp();
  await run('default/one', 'id-1', async () => record(object('one'), ready));
  expect(events).toEqual([['one', { ...ready, annotations: { [REQUEST_ID]: 'id-1' } }]]);
});

test('an Event in a later run has the id of the run that wrote, once', async () => {
  const { trace, events, run, record } = setUp();
  const write = { name: 'createRecord', requestId: 'id-1' };
  await run('default/one', 'id-1', () => trace.intercept(write, async () => undefined));
  await run('default/one', 'id-2', async () => record(object('one'), ready));
  await run('default/one', 'id-3', async () => record(object('one'), ready));
  expect(events.map(([, { annotations }]) => annotations?.[REQUEST_ID])).toEqual(['id-1', 'id-3']);
});

test('an Event about a failed write has the id of its own run', async () => {
  const { trace, events, run, record } = setUp();
  const write = { name: 'createRecord', requestId: 'id-1' };
  const failing = trace.intercept(write, async () => {
    throw new Error('no answer');
  });
  await expect(run('default/one', 'id-1', () => failing)).rejects.toThrow('no answer');
  await run('default/one', 'id-2', async () => record(object('one'), ready));
  expect(events.map(([, { annotations }]) => annotations?.[REQUEST_ID])).toEqual(['id-2']);
});

test('an Event about an object without a run has no id', () => {
  const { events, record } = setUp();
  record(object('one'), ready);
  expect(events).toEqual([['one', ready]]);
});

test('the namespace of a run is known while it lasts', async () => {
  const { trace, run } = setUp();
  const seen: string[] = [];
  await run('shop/www', 'id-1', async () => void seen.push(trace.namespaceOf('id-1'), trace.namespaceOf('id-2')));
  expect([...seen, trace.namespaceOf('id-1'), trace.namespaceOf(undefined)]).toEqual(['shop', '', '', '']);
});
