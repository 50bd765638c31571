// The conditions and the retries of objects while the service is unavailable, limits the key, or is busy with a zone.
import { describe, expect, test } from 'vitest';
import { ApiUnavailable } from '#client/errors.ts';
import { audit } from '../../support/operator/audit.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';
import { refused } from '../../support/operator/memory-service.ts';
import { settle } from '../../support/time/fake-clock.ts';

const ZONE = 'default/example';
const WWW = 'default/www';

const record = (on: Bench, name = 'www', spec: Record<string, unknown> = {}) =>
  on.cluster.create(
    DNS_RECORD,
    { name: name.replaceAll('_', '') },
    { zoneRef: { name: 'example' }, name, type: 'A', content: '192.0.2.1', ...spec },
  );

async function bench(): Promise<Bench> {
  const on = new Bench();
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org' });
  await on.settle();
  return on;
}

const tooMany = refused(429, 'rate_limited', 'Too many record writes.', 42_000);
const busy = refused(503, 'busy', 'The zone is busy with another change.', 1_000);
const isWrite = (call: string) => /^(create|change|park|unpark|apply|delete)/.test(call);
const away = () => new ApiUnavailable('connect ECONNREFUSED');
const reason = (on: Bench, key: string) => on.ready(on.cluster.record(key));

test('while the service is unavailable, a record that was Ready stays Ready and names the reason', async () => {
  const on = await bench();
  record(on);
  await on.settle();
  on.service.gate = away;
  const { error } = await on.run('record', WWW);
  expect(error).toBeInstanceOf(ApiUnavailable);
  expect(reason(on, WWW)).toBe('True APIUnavailable');
  expect(on.message(on.cluster.record(WWW))).toContain('The name servers still serve the data');
  on.service.gate = () => null;
  await on.settle();
  expect(audit(on)).toEqual([]);
});

test('while the service is unavailable, a zone that was Ready stays Ready and names the reason', async () => {
  const on = await bench();
  on.service.gate = away;
  await on.run('zone', ZONE);
  expect(on.ready(on.cluster.zone(ZONE))).toBe('True APIUnavailable');
});

test('while the service is unavailable, objects and deletions wait for the service, and all of them run when it answers again', async () => {
  const on = await bench();
  record(on);
  await on.settle();
  on.service.gate = away;
  on.waiting.length = 0;
  on.cluster.edit(DNS_RECORD, WWW, { content: '192.0.2.2' });
  await on.run('record', WWW);
  await on.run('zone', ZONE);
  expect(on.waiting).toEqual([`record ${WWW}`, `zone ${ZONE}`]);
  on.waiting.length = 0;
  on.cluster.remove(DNS_RECORD, WWW);
  await on.run('record', WWW);
  expect(on.waiting).toEqual([`record ${WWW}`]);
  on.waiting.length = 0;
  on.cluster.remove(DNS_ZONE, ZONE);
  await on.clock.advance(20_000);
  await on.run('zone', ZONE);
  expect(on.waiting).toEqual([`zone ${ZONE}`]);
});

test('while the service is unavailable, the status is written once, not at each attempt', async () => {
  const on = await bench();
  record(on);
  await on.settle();
  on.service.gate = away;
  await on.run('record', WWW);
  await on.run('zone', ZONE);
  const before = on.cluster.version;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await on.clock.advance(60_000);
    await on.run('record', WWW);
    await on.run('zone', ZONE);
  }
  expect(on.cluster.version).toBe(before);
});

test('while the service is unavailable, a new record is not Ready, and is written afterwards', async () => {
  const on = await bench();
  on.service.gate = away;
  record(on);
  await on.run('record', WWW);
  expect(reason(on, WWW)).toBe('False APIUnavailable');
  on.service.gate = () => null;
  await on.settle();
  expect(audit(on)).toEqual([]);
});

test('while the service is unavailable, an edited record is not Ready, because the old value is served', async () => {
  const on = await bench();
  record(on);
  await on.settle();
  on.service.gate = away;
  on.cluster.edit(DNS_RECORD, WWW, { content: '192.0.2.2' });
  await on.run('record', WWW);
  expect(reason(on, WWW)).toBe('False APIUnavailable');
  on.service.gate = () => null;
  await on.settle();
  expect(audit(on)).toEqual([]);
});

test('while the service is unavailable, a service without its database counts as unavailable', async () => {
  const on = await bench();
  record(on);
  await on.settle();
  on.service.gate = () => refused(500, 'internal', 'Something went wrong in the service.');
  const { error } = await on.run('record', WWW);
  expect(error).not.toBeNull();
  expect(reason(on, WWW)).toBe('True APIError');
});

describe('while the key is limited', () => {
  /** The service refuses the first write with 429. The run then waits for its turn until its wait limit. */
  async function limited(): Promise<Bench> {
    const on = await bench();
    record(on);
    on.service.gate = (call) => (isWrite(call) ? tooMany : null);
    const run = on.run('record', WWW);
    await settle();
    await on.clock.advance(6_000);
    await run;
    return on;
  }

  test('while the key is limited, a record shows the limit and the time of the next attempt, which is not before Retry-After ends', async () => {
    const on = await limited();
    expect(reason(on, WWW)).toBe('False RateLimited');
    const next = Date.parse(on.cluster.record(WWW)?.status?.nextAttemptTime as string);
    // 42 s after the refusal, of which the run itself has waited 5 s or more.
    const now = Date.UTC(2026, 10, 21, 12) + on.clock.now();
    expect(next - now).toBeGreaterThan(35_000);
    expect(next - now).toBeLessThanOrEqual(42_000);
  });

  test('while the key is limited, no other record sends a request before Retry-After ends, and each shows the limit at once', async () => {
    const on = await limited();
    const other = record(on, 'other');
    on.faults.arm(null);
    const { result } = await on.run('record', other);
    expect(on.faults.calls.filter((call) => isWrite(call.replace('api ', '')))).toEqual([]);
    expect(reason(on, other)).toBe('False RateLimited');
    expect(result?.requeueAfterMs).toBeGreaterThan(30_000);
  });

  test('while the key is limited, a record that was Ready and has nothing to write stays Ready', async () => {
    const on = await bench();
    record(on);
    await on.settle();
    on.service.gate = (call) => (isWrite(call) ? tooMany : null);
    const other = record(on, 'other');
    const run = on.run('record', other);
    await settle();
    await on.clock.advance(6_000);
    await run;
    on.restart();
    await on.run('zone', ZONE);
    await on.run('record', WWW);
    expect(reason(on, WWW)).toBe('True Ready');
  });

  test('while the key is limited, all changes are written afterwards, and the time of the next attempt is removed', async () => {
    const on = await limited();
    on.service.gate = () => null;
    await on.clock.advance(60_000);
    await on.settle();
    expect(on.cluster.record(WWW)?.status?.nextAttemptTime).toBeUndefined();
    expect(audit(on)).toEqual([]);
  });

  test('while the key is limited, nothing is created twice after a restart', async () => {
    const on = await limited();
    on.service.gate = () => null;
    on.restart();
    await on.settle();
    expect(on.service.ids()).toHaveLength(1);
    expect(audit(on)).toEqual([]);
  });
});

test('while a zone is busy, its record waits and is then written in the same run', async () => {
  const on = await bench();
  record(on);
  let answers = 1;
  on.service.gate = (call) => {
    if (!isWrite(call) || answers === 0) return null;
    answers -= 1;
    return busy;
  };
  const run = on.run('record', WWW);
  await settle();
  await on.clock.advance(2_000);
  await run;
  expect(reason(on, WWW)).toBe('True Ready');
});

test('while a zone is busy, its record shows it when that takes long', async () => {
  const on = await bench();
  record(on);
  on.service.gate = (call) => (isWrite(call) ? busy : null);
  const run = on.run('record', WWW);
  await settle();
  await on.clock.advance(8_000);
  const { result } = await run;
  expect(reason(on, WWW)).toBe('False ZoneBusy');
  expect(result?.requeueAfterMs).toBeLessThanOrEqual(2_000);
  on.service.gate = () => null;
  await on.clock.advance(2_000);
  await on.settle();
  expect(audit(on)).toEqual([]);
});
