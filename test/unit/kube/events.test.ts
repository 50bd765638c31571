// The event recorder: series, limits, and that recording never waits.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeApi } from '#kube/api/api.ts';
import { KubeError } from '#kube/api/errors.ts';
import { createEventRecorder, type EventRecorder, type EventToRecord } from '#kube/events/events.ts';
import { createLogger } from '#telemetry/log.ts';
import { type Widget, widget } from '../../support/kube/fake-apiserver.ts';
import { FakeClock, settle } from '../../support/time/fake-clock.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const MINUTE = 60_000;
const created: EventToRecord = { type: 'Normal', reason: 'Created', action: 'Create', note: 'made it' };

interface Sent {
  readonly verb: 'create' | 'patch';
  readonly name: string;
  readonly body: { series?: { count: number }; note?: string; [field: string]: unknown };
}

let clock: FakeClock;
let sent: Sent[];
let dropped: string[];
let recorder: EventRecorder;
let stop: AbortController;
let running: Promise<void>;
let answer: (verb: Sent['verb']) => Promise<void>;

beforeEach(() => {
  clock = new FakeClock();
  sent = [];
  dropped = [];
  stop = new AbortController();
  answer = async () => undefined;
  const api = {
    create: async (_type: unknown, object: { metadata: { name: string } }) => {
      await answer('create');
      sent.push({ verb: 'create', name: object.metadata.name, body: object as unknown as Sent['body'] });
    },
    merge: async (_type: unknown, { name }: { name: string }, patch: Sent['body']) => {
      await answer('patch');
      sent.push({ verb: 'patch', name, body: patch });
    },
  } as unknown as KubeApi;
  recorder = createEventRecorder({
    api,
    controller: 'test.zonestead.dev/tester',
    instance: 'pod-1',
    log,
    clock,
    date: () => new Date('2026-11-21T10:00:00.123Z'),
    dropped: (why) => dropped.push(why),
  });
  running = recorder.run(stop.signal);
});

afterEach(async () => {
  stop.abort();
  await running;
});

const inNamespace = (namespace: string, name: string) => {
  const object = widget(name, '1');
  return { ...object, metadata: { ...object.metadata, namespace, uid: `uid-${namespace}-${name}` } };
};
const summary = () => sent.map(({ verb, body }) => `${verb} ${body.series?.count ?? 1}`);

test('the recorder sends the fields that the events API requires: microseconds, reporter, object, the namespace of the object', async () => {
  recorder.record(widget('a', '7'), created);
  await settle();
  expect(sent[0]?.body).toEqual({
    metadata: { namespace: 'default', name: expect.stringMatching(/^a\.[0-9a-f]{16}$/) },
    eventTime: '2026-11-21T10:00:00.123000Z',
    reportingController: 'test.zonestead.dev/tester',
    reportingInstance: 'pod-1',
    type: 'Normal',
    reason: 'Created',
    action: 'Create',
    note: 'made it',
    regarding: {
      apiVersion: 'test.zonestead.dev/v1',
      kind: 'Widget',
      namespace: 'default',
      name: 'a',
      uid: 'uid-of-a',
      resourceVersion: '7',
    },
  });
});

test('the recorder puts events of cluster-scoped objects into the namespace default', async () => {
  const { namespace: _none, ...metadata } = widget('a', '7').metadata;
  recorder.record({ ...widget('a', '7'), metadata } as Widget, created);
  await settle();
  expect(sent[0]?.body.metadata).toMatchObject({ namespace: 'default' });
});

test('the recorder cuts a note at 1 kB without breaking a character', async () => {
  recorder.record(widget('a', '7'), { ...created, note: `x${'ö'.repeat(600)}` });
  await settle();
  expect(sent[0]?.body.note).toBe(`x${'ö'.repeat(511)}`);
});

test('repeats of an Event become one series: the second is a patch, the next are only counted, and the count is sent when the series ends', async () => {
  for (let i = 0; i < 5; i++) recorder.record(widget('a', `${i}`), created);
  await settle();
  expect(summary()).toEqual(['create 1', 'patch 5']);
  for (let i = 0; i < 3; i++) recorder.record(widget('a', '9'), created);
  await clock.advance(5 * MINUTE);
  expect(sent).toHaveLength(2);
  await clock.advance(2 * MINUTE);
  expect(summary()).toEqual(['create 1', 'patch 5', 'patch 8']);
  expect(new Set(sent.map((event) => event.name)).size).toBe(1);
});

test('repeats of an Event that continue are reported every 30 minutes', async () => {
  for (let minute = 0; minute < 62; minute++) {
    recorder.record(widget('a', '1'), created);
    await clock.advance(MINUTE);
  }
  expect(sent.map((event) => event.verb)).toEqual(['create', 'patch', 'patch', 'patch']);
});

test('repeats of an Event after 6 quiet minutes are a new event', async () => {
  recorder.record(widget('a', '1'), created);
  await clock.advance(6 * MINUTE);
  recorder.record(widget('a', '1'), created);
  await settle();
  expect(summary()).toEqual(['create 1', 'create 1']);
  expect(new Set(sent.map((event) => event.name)).size).toBe(2);
});

test('repeats of an Event with another note, reason or object are events of their own', async () => {
  recorder.record(widget('a', '1'), created);
  recorder.record(widget('a', '1'), { ...created, note: 'another' });
  recorder.record(widget('a', '1'), { ...created, reason: 'Updated' });
  recorder.record(widget('b', '1'), created);
  await settle();
  expect(summary()).toEqual(['create 1', 'create 1', 'create 1', 'create 1']);
});

test('repeats of an Event are created again with their count when their event has expired at the server', async () => {
  recorder.record(widget('a', '1'), created);
  await settle();
  answer = async (verb) => {
    if (verb === 'patch') throw new KubeError({ status: 404, reason: 'NotFound', message: 'gone' });
  };
  recorder.record(widget('a', '1'), created);
  await settle();
  expect(summary()).toEqual(['create 1', 'create 2']);
});

test('limits on Events allow one object 25 new events and then one per 5 minutes; other objects are not affected', async () => {
  const warning = { ...created, type: 'Warning' } as const;
  for (let i = 0; i < 30; i++) recorder.record(widget('a', '1'), { ...warning, note: `note ${i}` });
  recorder.record(widget('b', '1'), created);
  await settle();
  await expect.poll(() => sent.length).toBe(26);
  expect(dropped).toEqual(Array.from({ length: 5 }, () => 'too_many'));
  await clock.advance(5 * MINUTE);
  recorder.record(widget('a', '1'), { ...warning, note: 'later' });
  recorder.record(widget('a', '1'), { ...warning, note: 'too soon' });
  await settle();
  expect(sent).toHaveLength(27);
});

test('limits on Events allow 20 normal Events of one reason and namespace at once and then one a second, and every warning', async () => {
  for (let i = 0; i < 50; i++) recorder.record(widget(`w${i}`, '1'), created);
  await settle();
  expect(sent).toHaveLength(20);
  expect(dropped).toHaveLength(30);
  await clock.advance(2_000);
  for (let i = 0; i < 20; i++) recorder.record(widget(`late${i}`, '1'), created);
  for (let i = 0; i < 20; i++) recorder.record(widget(`bad${i}`, '1'), { ...created, type: 'Warning' });
  recorder.record(widget('other', '1'), { ...created, reason: 'Other' });
  for (let i = 0; i < 25; i++) recorder.record(inNamespace('other', `other${i}`), created);
  await settle();
  expect(sent).toHaveLength(20 + 2 + 20 + 1 + 20);
});

test('limits on Events leave events of another namespace alone, and send them in turns', async () => {
  for (let i = 0; i < 150; i++) recorder.record(widget(`w${i}`, '1'), created);
  for (let i = 0; i < 5; i++) recorder.record(inNamespace('other', `o${i}`), created);
  await settle();
  const namespaces = sent.map(({ body }) => (body as { metadata?: { namespace?: string } }).metadata?.namespace);
  expect(namespaces.filter((namespace) => namespace === 'other')).toHaveLength(5);
  // One of the first namespace is on its way.
  expect(namespaces.slice(0, 11).filter((namespace) => namespace === 'other')).toHaveLength(5);
});

test('limits on Events drop events of the namespace with the most of them when 1000 wait', async () => {
  answer = () => new Promise(() => undefined);
  for (let i = 0; i < 1_000; i++) recorder.record(widget(`w${i}`, '1'), { ...created, type: 'Warning' });
  recorder.record(inNamespace('other', 'o'), { ...created, type: 'Warning' });
  recorder.record(widget('late', '1'), { ...created, type: 'Warning' });
  expect(dropped).toEqual(['queue_full', 'queue_full']);
  answer = async () => undefined;
});

test('limits on Events drop events above 1000 while the server does not answer, without waiting', async () => {
  answer = () => new Promise(() => undefined);
  for (let i = 0; i < 1_003; i++) recorder.record(widget(`w${i}`, '1'), { ...created, type: 'Warning' });
  expect(dropped).toEqual(['queue_full', 'queue_full', 'queue_full']);
  answer = async () => undefined;
});

test('failures to write an Event are retried every 10 s, 12 times in all', async () => {
  let tries = 0;
  answer = async () => {
    tries++;
    throw new KubeError({ status: 500, reason: 'InternalError', message: 'x' });
  };
  recorder.record(widget('a', '1'), created);
  await clock.advance(110_000);
  expect(tries).toBe(12);
  expect(dropped).toEqual(['refused']);
  await clock.advance(60_000);
  expect(tries).toBe(12);
});

test('failures to write an Event by refusal are not retried', async () => {
  let tries = 0;
  answer = async () => {
    tries++;
    throw new KubeError({ status: 403, reason: 'Forbidden', message: 'namespace is being terminated' });
  };
  recorder.record(widget('a', '1'), created);
  await clock.advance(60_000);
  expect(tries).toBe(1);
  expect(dropped).toEqual(['refused']);
});

test('the recorder flushes the remaining events and the counts of open series, and logs those that it could not send', async () => {
  recorder.record(widget('a', '1'), created);
  recorder.record(widget('a', '1'), created);
  await settle();
  recorder.record(widget('a', '1'), created);
  stop.abort();
  await running;
  recorder.record(widget('b', '1'), created);
  await recorder.flush(new AbortController().signal);
  expect(summary()).toEqual(['create 1', 'patch 2', 'create 1', 'patch 3']);
  const expired = new AbortController();
  expired.abort();
  recorder.record(widget('c', '1'), created);
  await recorder.flush(expired.signal);
  expect(dropped).toEqual(['stopped']);
});
