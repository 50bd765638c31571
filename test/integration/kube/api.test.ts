// The typed calls against a real kube-apiserver: the effects and the failures of apply, status, merge and delete.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeApi } from '#kube/api/api.ts';
import { isConflict, isNotFound, type KubeError } from '#kube/api/errors.ts';
import { createEventRecorder, EVENTS } from '#kube/events/events.ts';
import { addFinalizer, removeFinalizer } from '#kube/objects/finalizer.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import { createLogger } from '#telemetry/log.ts';
import { WIDGETS, type Widget } from '../../support/kube/fake-apiserver.ts';
import { startWidgetCluster, type WidgetCluster } from '../../support/kube/widget-cluster.ts';

const me = { fieldManager: 'test' };
const FINALIZER = 'test.zonestead.dev/cleanup';

let cluster: WidgetCluster;
let api: KubeApi;

beforeAll(async () => {
  cluster = await startWidgetCluster();
  api = cluster.api;
});
afterAll(() => cluster?.stop());

const named = (name: string) => ({ namespace: 'default', name });
const failure = (call: Promise<unknown>): Promise<KubeError> =>
  call.then(
    () => Promise.reject(new Error('the call did not fail')),
    (error: KubeError) => error,
  );

test('server-side apply creates, changes only the applied fields, and removes the fields that are no longer applied', async () => {
  const created = await api.apply<Widget>(
    WIDGETS,
    { metadata: { ...named('applied'), labels: { a: '1' } }, spec: { color: 'red', size: 3 } },
    me,
  );
  expect(created).toMatchObject({ kind: 'Widget', metadata: { generation: 1 }, spec: { color: 'red', size: 3 } });
  await api.apply(WIDGETS, { metadata: named('applied'), spec: { size: 5 } }, { fieldManager: 'other' });
  const changed = await api.apply<Widget>(WIDGETS, { metadata: named('applied'), spec: { color: 'blue' } }, me);
  expect(changed.spec).toEqual({ color: 'blue', size: 5 });
  expect(changed.metadata.labels).toBeUndefined();
});

test('server-side apply without force leaves the fields of others alone and says whose they are', async () => {
  await api.apply(WIDGETS, { metadata: named('owned'), spec: { color: 'red' } }, { fieldManager: 'owner' });
  const draft = { metadata: named('owned'), spec: { color: 'blue' } };
  const error = await failure(api.apply(WIDGETS, draft, { ...me, force: false }));
  expect(isConflict(error)).toBe(true);
  expect(error.message).toContain('owner');
});

test('a new status changes neither spec, generation nor the owners of fields, and an equal one is not a new version', async () => {
  const applied = { metadata: named('status'), spec: { color: 'red' } };
  const created = await api.apply<Widget>(WIDGETS, applied, me);
  const write = async () => {
    const { metadata } = await api.get<Widget>(WIDGETS, named('status'));
    return api.replaceStatus<Widget>(WIDGETS, { metadata, status: { seen: 'yes' } }, { fieldManager: 'status' });
  };
  const updated = await write();
  expect(updated).toMatchObject({ spec: { color: 'red' }, status: { seen: 'yes' } });
  expect(updated.metadata.generation).toBe(created.metadata.generation);
  expect((await write()).metadata.resourceVersion).toBe(updated.metadata.resourceVersion);
  // The client that applied the spec still owns it: leaving the field out removes it.
  const without = await api.apply<Widget>(WIDGETS, { metadata: named('status') }, me);
  expect([without.spec?.color, without.status?.seen]).toEqual([undefined, 'yes']);
});

test('a new status is 404 for a deleted object, and creates none', async () => {
  const { metadata } = await api.create<Widget>(WIDGETS, { metadata: named('gone') });
  await api.delete(WIDGETS, named('gone'));
  const error = await failure(api.replaceStatus(WIDGETS, { metadata, status: { seen: 'x' } }));
  expect(isNotFound(error)).toBe(true);
});

test('a new status is 409 for another object of the same name, and for an object that changed', async () => {
  const { metadata: old } = await api.create<Widget>(WIDGETS, { metadata: named('again') });
  await api.delete(WIDGETS, named('again'));
  const made = await api.create<Widget>(WIDGETS, { metadata: named('again') });
  const { uid, resourceVersion } = made.metadata;
  const draft = (metadata: object) => ({ metadata: { ...named('again'), ...metadata }, status: { seen: 'old' } });
  for (const metadata of [
    { uid: old.uid ?? '', resourceVersion: resourceVersion ?? '' },
    { uid: uid ?? '', resourceVersion: old.resourceVersion ?? '' },
  ])
    expect(isConflict(await failure(api.replaceStatus(WIDGETS, draft(metadata))))).toBe(true);
  expect((await api.get<Widget>(WIDGETS, named('again'))).status?.seen).toBeUndefined();
});

test('failures of calls say what is wrong in words for people', async () => {
  const wrong = { metadata: named('wrong'), spec: { color: 'x'.repeat(101) } };
  const error = await failure(api.apply(WIDGETS, wrong, me));
  expect(error).toMatchObject({ status: 422, reason: 'Invalid' });
  expect(error.message).toContain('spec.color');
  expect(error.details?.causes?.[0]?.field).toBe('spec.color');
});

test('failures of calls about rights name the user and the verb', async () => {
  const guest = await cluster.connect({ name: 'guest', groups: [] });
  const error = await failure(guest.api.list(WIDGETS, {}));
  expect(error).toMatchObject({ status: 403, reason: 'Forbidden' });
  expect(error.message).toContain('"guest"');
});

test('failures of calls for a name that exists already are not taken for a lost race', async () => {
  await api.create(WIDGETS, { metadata: named('twice') });
  const error = await failure(api.create(WIDGETS, { metadata: named('twice') }));
  expect(error).toMatchObject({ status: 409, reason: 'AlreadyExists' });
  expect(isConflict(error)).toBe(false);
});

test('the deletion of an object succeeds for an absent object', async () => {
  await api.delete(WIDGETS, named('never-there'));
});

test('the deletion of an object is refused for another object than the one that was read', async () => {
  await api.create(WIDGETS, { metadata: named('replaced') });
  const uid = '00000000-0000-0000-0000-000000000000';
  expect(isConflict(await failure(api.delete(WIDGETS, named('replaced'), { uid })))).toBe(true);
  const { metadata } = await api.get<Widget>(WIDGETS, named('replaced'));
  await api.delete(WIDGETS, named('replaced'), { uid: metadata.uid });
  expect(isNotFound(await failure(api.get(WIDGETS, named('replaced'))))).toBe(true);
});

test('the deletion of an object waits for the finalizer; a change in between makes the removal fail and not overwrite', async () => {
  const created = await api.create<Widget>(WIDGETS, { metadata: named('finalized') });
  const finalized = await addFinalizer(api, WIDGETS, created, FINALIZER);
  expect(finalized.metadata.finalizers).toEqual([FINALIZER]);
  await api.delete(WIDGETS, named('finalized'));
  const deleting = await api.get<Widget>(WIDGETS, named('finalized'));
  expect(deleting.metadata.deletionTimestamp).toBeDefined();
  expect(isConflict(await failure(removeFinalizer(api, WIDGETS, finalized, FINALIZER)))).toBe(true);
  await removeFinalizer(api, WIDGETS, deleting, FINALIZER);
  expect(isNotFound(await failure(api.get(WIDGETS, named('finalized'))))).toBe(true);
  expect(await removeFinalizer(api, WIDGETS, deleting, FINALIZER)).toBeUndefined();
});

test('events are taken by the server, repeats as a series of one event', async () => {
  const widget = await api.create<Widget>(WIDGETS, { metadata: named('eventful') });
  const log = createLogger({ name: 'test', level: 'silent' });
  const recorder = createEventRecorder({ api, controller: 'test.zonestead.dev/tester', log });
  for (let i = 0; i < 4; i++) {
    recorder.record(widget, {
      type: 'Warning',
      reason: 'Conflict',
      action: 'Create',
      note: 'another client was faster',
    });
  }
  recorder.record(widget, { type: 'Normal', reason: 'Created', action: 'Create', note: 'made' });
  await recorder.flush(AbortSignal.timeout(10_000));
  type Event = KubeObject & { reason: string; note: string; series?: { count: number }; regarding: { uid: string } };
  const { items } = await api.list<Event>(EVENTS, { namespace: 'default' });
  const ours = items.filter((event) => event.regarding.uid === widget.metadata.uid);
  expect(ours.map(({ reason, series }) => `${reason} ${series?.count ?? 1}`).sort()).toEqual([
    'Conflict 4',
    'Created 1',
  ]);
});
