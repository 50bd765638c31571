// The sets of a request for several objects: each has its own request id, and its own result.
import { expect, test } from 'vitest';
import { ApiError } from '#client/errors.ts';
import { createRecordWriter } from '#client/pace/writer.ts';
import { applyRecords } from '#contract/operations/owners.ts';
import type { ApplyResult, RecordSet } from '#contract/owners.ts';
import { fakeClient, on } from '../../support/service/fake-client.ts';

const { signal } = new AbortController();
const owned = (owner: string): RecordSet => ({ owner, name: 'www', type: 'A', values: [{ content: '192.0.2.1' }] });

function writerOf(results: ApplyResult[]) {
  const sent: unknown[] = [];
  const client = fakeClient(
    on(applyRecords, async ({ body }, options) => {
      sent.push([body, options]);
      return { results };
    }),
  );
  const writer = createRecordWriter(client);
  return { writer, sent };
}

const DONE: ApplyResult = { status: 200, records: [], changed: true, drift: [] };

test('a set keeps the request id of its object, and the request has that of the first', async () => {
  const { writer, sent } = writerOf([DONE, DONE, DONE]);
  const changes = [
    { set: owned('k8s:a/n/1'), requestId: 'run-1' },
    { set: owned('k8s:a/n/2') },
    { set: owned('k8s:a/n/3'), requestId: 'run-3' },
  ];
  expect(await writer.apply('zone_1', changes, { signal, onRate: () => undefined })).toEqual([DONE, DONE, DONE]);
  const sets = [
    { ...owned('k8s:a/n/1'), requestId: 'run-1' },
    owned('k8s:a/n/2'),
    { ...owned('k8s:a/n/3'), requestId: 'run-3' },
  ];
  expect(sent).toMatchObject([[{ sets }, { requestId: 'run-1', requestIds: ['run-1', 'run-3'] }]]);
});

test('the refusal of a set names the owner of another cluster, the value, and whether it is shared', async () => {
  const refused: ApplyResult = {
    status: 409,
    error: 'conflict',
    message: 'The value is owned.',
    owner: 'k8s:west/n/1',
    value: '192.0.2.1',
    shared: true,
  };
  const { writer } = writerOf([DONE, refused]);
  const changes = [{ set: owned('k8s:a/n/1') }, { set: owned('k8s:a/n/2') }];
  const [first, second] = await writer.apply('zone_1', changes, { signal, onRate: () => undefined });
  expect(first).toBe(DONE);
  expect(second).toBeInstanceOf(ApiError);
  expect(second).toMatchObject({
    status: 409,
    code: 'conflict',
    owner: 'k8s:west/n/1',
    value: '192.0.2.1',
    isShared: true,
  });
});

test('a set without a result in the answer has failed, so that its object runs again', async () => {
  const { writer } = writerOf([DONE]);
  const changes = [{ set: owned('k8s:a/n/1') }, { set: owned('k8s:a/n/2') }];
  const [, second] = await writer.apply('zone_1', changes, { signal, onRate: () => undefined });
  expect(second).toMatchObject({ status: 502 });
});
