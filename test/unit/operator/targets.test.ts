// The condition TargetsExist of a DNSZone, from the dangling names that the service has found.
import { expect, test } from 'vitest';
import { ApiError } from '#client/errors.ts';
import type { DanglingName } from '#contract/dangling.ts';
import { listDanglingNames } from '#contract/operations/dangling.ts';
import { judgeTargets } from '#diagnosis/zone-checks.ts';
import type { ZoneRun } from '#operator/run/run.ts';
import { createTargetChecks, targetsAnswer } from '#operator/zone/targets.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { fakeClient, on } from '../../support/service/fake-client.ts';
import { QuickClock } from '../../support/time/quick-clock.ts';

const name = (more: Partial<DanglingName> = {}): DanglingName => ({
  ...{ zoneId: 'zone_1', zoneName: 'shop.example', recordId: 'rec_1', name: 'blog', type: 'CNAME' },
  ...{ target: 'blog.pages.example', missing: 'name', missingName: 'blog.pages.example' },
  ...{ since: '2026-11-21T10:31:00.123Z', checkedAt: '2026-11-21T12:00:00.000Z' },
  ...more,
});
const zone = (conditions: object[] = []) =>
  ({
    metadata: { name: 'shop', namespace: 'default' },
    spec: { zoneName: 'shop.example' },
    status: { conditions },
  }) as unknown as DNSZone;

test('the condition names the first dangling names, and stays the same while they do', () => {
  const { TargetsExist: answer } = targetsAnswer(zone(), [name()]);
  expect(answer).toEqual({
    status: 'False',
    reason: 'TargetMissing',
    message:
      'Records point to names that do not exist: blog CNAME blog.pages.example (missing, since 2026-11-21T10:31:00Z). A person who can create such a name takes over the name of the record.',
  });
  expect(targetsAnswer(zone(), [name({ checkedAt: '2026-11-22T12:00:00.000Z' })])).toEqual({ TargetsExist: answer });
});

test('a domain that anyone can register has a reason of its own, and a chain names its end', () => {
  const names = [1, 2, 3, 4].map((at) => name({ name: `n${at}`, missing: 'domain', missingName: 'end.example' }));
  const { TargetsExist: answer } = targetsAnswer(zone(), names);
  expect(answer).toMatchObject({ status: 'False', reason: 'TargetDomainMissing' });
  expect(answer?.message).toContain('n3 CNAME blog.pages.example, which leads to end.example (a domain that is not');
  expect(answer?.message).toContain('; and more.');
  expect(answer?.message).not.toContain('n4');
});

test('a zone gets the condition with its first dangling name, and keeps it when they are gone', () => {
  expect(targetsAnswer(zone(), [])).toEqual({});
  expect(targetsAnswer(zone([{ type: 'TargetsExist', status: 'False' }]), [])).toMatchObject({
    TargetsExist: { status: 'True', reason: 'TargetsExist' },
  });
});

test('the operator asks about a zone every ten minutes, and an error changes nothing', async () => {
  const clock = new QuickClock(1);
  let calls = 0;
  let answer: () => DanglingName[] = () => [name()];
  const client = fakeClient(
    on(listDanglingNames, async ({ query }) => {
      calls += 1;
      expect(query).toEqual({ zone: 'zone_1', limit: 4 });
      return { danglingNames: answer() };
    }),
  );
  const checks = createTargetChecks(clock);
  const { signal } = new AbortController();
  const run = { object: zone(), call: { signal, requestId: 'r1' } } as unknown as ZoneRun;
  const check = () => checks.check(run, { client }, { id: 'zone_1' });
  expect(await check()).toMatchObject({ TargetsExist: { status: 'False' } });
  expect(await check()).toEqual({});
  expect(calls).toBe(1);
  clock.jump(10 * 60_000);
  answer = () => {
    throw new ApiError({
      status: 404,
      code: 'not_found',
      message: 'no such route',
      requestId: null,
      retryAfterMs: null,
    });
  };
  expect(await check()).toEqual({});
  expect(calls).toBe(2);
  checks.forget('default/shop');
  answer = () => [];
  await check();
  expect(calls).toBe(3);
});

test('doctor warns about a zone with dangling names, with the next step', () => {
  const conditions = [{ type: 'TargetsExist', status: 'False', reason: 'TargetMissing', message: 'blog CNAME x.' }];
  expect(judgeTargets(zone(conditions))).toMatchObject([
    { subject: 'target', level: 'warn', what: 'shop.example has dangling names. blog CNAME x.' },
  ]);
  expect(judgeTargets(zone(conditions))[0]?.nextStep?.words).toMatch(/^Delete or correct the records/);
  expect(judgeTargets(zone())).toEqual([]);
  expect(judgeTargets(zone([{ type: 'TargetsExist', status: 'True', reason: 'TargetsExist' }]))).toEqual([]);
});
