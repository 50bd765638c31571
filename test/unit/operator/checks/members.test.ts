// The addresses of a DNSRecord in its status.
import { expect, test } from 'vitest';
import type { TargetView } from '#contract/checks.ts';
import type { ListedRecord } from '#contract/record.ts';
import { parseRdata } from '#dns/types/index.ts';
import { judgeHealthy, listMembers, memberEvents, servedTtl, shownMembers } from '#operator/checks/members.ts';
import { identityOf } from '#operator/record/desired.ts';
import type { RecordMember } from '#resources/dnsrecord.ts';

const since = '2026-11-21T12:00:00.123Z';
const address = (last: number) => `192.0.2.${last}`;

function value(last: number, tier = 0) {
  const parsed = parseRdata('A', address(last), null);
  const wire = parsed.ok ? parsed.value.wire : new Uint8Array();
  return { content: address(last), priority: null, ttl: null, wire, identity: identityOf(wire), tier, weight: null };
}

const record = (last: number, more: Partial<ListedRecord> = {}): ListedRecord => ({
  ...{ id: `rec_${last}`, name: 'www', type: 'A', content: address(last), ttl: 300, priority: null, check: 'web' },
  ...more,
});

const target = (last: number, state: TargetView['state'], more: Partial<TargetView> = {}): TargetView => ({
  ...{ address: address(last), state, reason: null, since, down: state === 'Unhealthy', pin: null, nameServers: null },
  ...more,
});

const member = (last: number, state: RecordMember['state'], served: boolean, more: Partial<RecordMember> = {}) => ({
  ...{ content: address(last), tier: 0, state, served },
  ...more,
});

const list = (facts: Partial<Parameters<typeof listMembers>[0]>) =>
  listMembers({ values: [], records: [], targets: undefined, isParked: false, ...facts });

test('a member has the state of its address, and is served as name servers answer', () => {
  const reason = 'The connection is refused.';
  const members = list({
    values: [value(1), value(2), value(3, 1)],
    records: [record(1, { failing: true }), record(2), record(3, { tier: 1 })],
    targets: [target(1, 'Unhealthy', { reason }), target(2, 'Healthy')],
  });
  const time = { since: '2026-11-21T12:00:00Z' };
  expect(members).toEqual([
    member(1, 'Unhealthy', false, { ...time, reason }),
    member(2, 'Healthy', true, time),
    member(3, 'Unknown', false, { tier: 1 }),
  ]);
});

test('a record of another owner decides too whether a member is served', () => {
  const values = [value(2, 1)];
  const spare = record(2, { tier: 1 });
  expect(list({ values, records: [record(1), spare] })).toMatchObject([{ served: false }]);
  expect(list({ values, records: [record(1, { failing: true }), spare] })).toMatchObject([{ served: true }]);
});

test('a member whose state was not read yet fails if its record does', () => {
  const [down] = list({ values: [value(1)], records: [record(1, { failing: true })] });
  expect(down).toEqual(member(1, 'Unhealthy', true));
});

test('a pin counts instead of the probes, and the status does not name its key', () => {
  const pin = {
    state: 'Unhealthy',
    reason: 'kernel update',
    by: 'key-of-ada',
    until: '2026-11-22T00:00:00.000Z',
  } as const;
  const [pinned] = list({
    values: [value(1)],
    records: [record(1, { failing: true })],
    targets: [target(1, 'Healthy', { pin })],
  });
  expect(pinned).toMatchObject({ state: 'Unhealthy', reason: expect.stringContaining('kernel update') });
  expect(JSON.stringify(pinned)).not.toContain('ada');
});

test('no member of a parked zone is served', () => {
  expect(list({ values: [value(1)], records: [record(1)], isParked: true })).toMatchObject([{ served: false }]);
});

test('a status has at most 50 members, and those that do not work are among them', () => {
  const members = Array.from({ length: 60 }, (_, at) => member(at, at === 59 ? 'Unhealthy' : 'Healthy', true));
  expect(shownMembers(members)).toHaveLength(50);
  expect(shownMembers(members)[0]).toEqual(members[59]);
  expect(shownMembers(members.slice(0, 50))).toEqual(members.slice(0, 50));
});

test('the condition Healthy counts the addresses and names those that do not work', () => {
  const reason = 'The server does not answer within 2 s.';
  const down = member(1, 'Unhealthy', false, { reason });
  const judge = (...members: RecordMember[]) => {
    const { status, reason: why, message } = judgeHealthy(members, 'ServeAll');
    return `${status} ${why}: ${message}`;
  };
  expect(judge(member(1, 'Healthy', true))).toBe('True AllHealthy: Every address works: 1 address.');
  expect(judge(member(1, 'Healthy', true), member(2, 'Unknown', true))).toBe(
    'Unknown NotProbed: 192.0.2.2 (nothing is known about it yet). An address that is not known yet counts as working.',
  );
  expect(judge(down, member(2, 'Healthy', true))).toBe(
    'False SomeUnhealthy: 1 of 2 addresses does not work: 192.0.2.1 (The server does not answer within 2 s). Answers omit it.',
  );
  expect(judge({ ...down, served: true })).toMatch(
    /^False NoneHealthy: The address does not work: .* Nothing else is left at the name and type, so /,
  );
  expect(judge(down)).toMatch(/with other records of the name and type\.$/);
  expect(judgeHealthy([down], 'ServeNone').message).toMatch(/answer without an address, as spec\.whenAllFail says/);
  const refused = [0, 1].map((at) => member(at, 'Unhealthy', true, { reason: 'The connection is refused.' }));
  expect(judge(...refused)).toMatch(/: 192\.0\.2\.0, 192\.0\.2\.1 \(The connection is refused\)\. /);
  const many = Array.from({ length: 100 }, (_, at) => member(at, 'Unhealthy', true, { reason: 'r'.repeat(512) }));
  expect(judge(...many)).toMatch(/and 90 more\. /);
  expect(judge(...many).length).toBeLessThan(4_096);
});

test('an Event tells which addresses began to fail, and one which work again', () => {
  const [up, down] = [member(1, 'Healthy', true), member(1, 'Unhealthy', false, { reason: 'It is closed.' })];
  const told = (before: RecordMember[], after: RecordMember[]) =>
    memberEvents(before, after).map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
  expect(told([up], [down])).toEqual(['Warning MemberUnhealthy: Does not work: 192.0.2.1 (It is closed)']);
  expect(told([], [down])).toHaveLength(1);
  expect(told([down], [down])).toEqual([]);
  expect(told([down], [up])).toEqual(['Normal MemberHealthy: Works again: 192.0.2.1']);
  expect(told([], [up])).toEqual([]);
});

test('name servers answer a record with a check for at most a minute', () => {
  expect(servedTtl(record(1))).toBe(60);
  expect(servedTtl(record(1, { ttl: 30 }))).toBe(30);
  const { check: _none, ...plain } = record(1);
  expect(servedTtl(plain)).toBe(300);
});
