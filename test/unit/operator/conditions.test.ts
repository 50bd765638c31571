// Small pure functions: the desired values of a spec, grants, the reasons of failures, and the conditions.
import { expect, test } from 'vitest';
import { ApiUnavailable } from '#client/errors.ts';
import { PausedTooLong } from '#client/pace/send.ts';
import { judgeSpec } from '#operator/record/desired.ts';
import { conditionsWith, no, readyFrom, sinceCreation, unknown, yes } from '#operator/run/conditions.ts';
import { classifyFailure } from '#operator/run/failures.ts';
import { UNDECIDED_SINCE } from '#resources/common.ts';
import { explainDenial } from '#resources/record-grant.ts';
import { aRecord, aZone } from '../../support/operator/build.ts';
import { refused } from '../../support/operator/memory-service.ts';

const desired = (spec: Record<string, unknown>, zone = 'example.org') => {
  const verdict = judgeSpec(aRecord(spec), zone);
  return verdict.ok ? verdict.desired : verdict.message;
};

test('the desired values of a spec have a canonical name, relative and fully qualified', () => {
  expect(desired({ name: 'WWW' })).toMatchObject({ name: 'www', fqdn: 'www.example.org', type: 'A' });
  expect(desired({ name: 'www.example.org.' })).toMatchObject({ name: 'www', fqdn: 'www.example.org' });
  expect(desired({ name: '@' })).toMatchObject({ name: '@', fqdn: 'example.org' });
  expect(desired({ name: '*.dev' })).toMatchObject({ name: '*.dev', fqdn: '*.dev.example.org' });
  expect(desired({ name: 'bücher' })).toMatchObject({ name: 'xn--bcher-kva', fqdn: 'xn--bcher-kva.example.org' });
});

test('the desired values of a spec are the same for content and for a list of one value', () => {
  expect(desired({ content: '192.0.2.1', ttl: 60 })).toEqual(desired({ values: [{ content: '192.0.2.1' }], ttl: 60 }));
});

test('the desired values of a spec have no TTL when the spec has none', () => {
  expect(desired({})).toMatchObject({ values: [{ ttl: null }] });
  expect(desired({ ttl: 60 })).toMatchObject({ values: [{ ttl: 60 }] });
});

test('the desired values of a spec have the default priority 10 for MX, and no priority for other types', () => {
  const values = [{ content: 'a.example.net' }, { content: 'b.example.net', priority: 5 }];
  expect(desired({ type: 'MX', values })).toMatchObject({ values: [{ priority: 10 }, { priority: 5 }] });
  expect(desired({})).toMatchObject({ values: [{ priority: null }] });
});

test.each([
  [
    'two spellings of one address',
    { type: 'AAAA', values: [{ content: '2001:db8::1' }, { content: '2001:DB8:0::1' }] },
  ],
  ['one text, once in quotes', { type: 'TXT', values: [{ content: 'a' }, { content: '"a"' }] }],
  [
    'one host, once with a final dot',
    { type: 'NS', values: [{ content: 'ns.example.net' }, { content: 'NS.example.net.' }] },
  ],
])('the desired values of a spec are refused with %s twice', (_what, spec) => {
  expect(desired(spec)).toMatch(/^spec\.values: .* is a duplicate; remove one of the two\.$/);
});

test('the desired values of a spec are refused with the field and the accepted form', () => {
  expect(desired({ content: 'hello' })).toMatch(/^spec\.content: .*IPv4 address such as 192\.0\.2\.10/);
  expect(desired({ name: 'www.example.org' })).toMatch(/^spec\.name: .*relative to the zone.*Write "www"/);
  expect(desired({ name: 'www.example.net.' })).toMatch(/^spec\.name: .*not in the zone example\.org/);
  expect(desired({ type: 'CNAME', content: 'www.example.org' })).toMatch(/^spec\.content: .*points to its own name/);
  expect(desired({ content: undefined, values: [] })).toMatch(/^spec\.values/);
});

const labels = { shop: { team: 'shop', tier: 'gold' }, dns: {} } as Record<string, Record<string, string>>;
const permits = (grants: unknown[] | undefined, { namespace = 'shop', name = 'www', type = 'A' } = {}) => {
  const zone = aZone(grants === undefined ? {} : { allowedRecords: grants }, { namespace: 'dns' });
  const record = aRecord({ type, content: type === 'A' ? '192.0.2.1' : 'text' }, { namespace });
  return explainDenial(zone, record, name, (each) => labels[each]) === null;
};
const selector = (expression: Record<string, unknown>) => [
  { namespaces: { from: 'Selector', selector: { matchExpressions: [{ key: 'team', ...expression }] } } },
];

test('a zone permits its own namespace and no other when it has no rules', () => {
  expect(permits(undefined, { namespace: 'dns' })).toBe(true);
  expect(permits(undefined)).toBe(false);
});

test('a zone permits the records that its rules allow, and no others', () => {
  expect(permits([{ namespaces: { from: 'All' } }])).toBe(true);
  expect(permits([{ namespaces: { from: 'Same' } }])).toBe(false);
  expect(permits([{ namespaces: { from: 'Same' } }], { namespace: 'dns' })).toBe(true);
  expect(permits([{ namespaces: { from: 'Same' }, names: ['only'] }], { namespace: 'dns' })).toBe(false);
});

test('a zone needs one rule that matches completely, not two that match in part', () => {
  const all = { namespaces: { from: 'All' } };
  expect(permits([{ ...all, names: ['www'], types: ['A'] }])).toBe(true);
  expect(
    permits([
      { ...all, names: ['www'], types: ['TXT'] },
      { ...all, names: ['api'], types: ['A'] },
    ]),
  ).toBe(false);
});

test.each([
  ['*', 'www', true],
  ['*', '@', true],
  ['@', '@', true],
  ['@', 'www', false],
  ['www', 'www', true],
  ['WWW', 'www', true],
  ['www', 'a.www', false],
  ['*.dev', 'a.dev', true],
  ['*.dev', 'a.b.dev', true],
  ['*.dev', 'dev', false],
  ['*.dev', 'adev', false],
])('a zone with the name pattern %s permits %s: %s', (pattern, name, expected) => {
  expect(permits([{ namespaces: { from: 'All' }, names: [pattern] }], { name })).toBe(expected);
});

test.each([
  [{ operator: 'In', values: ['shop', 'web'] }, true],
  [{ operator: 'In', values: ['web'] }, false],
  [{ operator: 'NotIn', values: ['web'] }, true],
  [{ operator: 'NotIn', values: ['shop'] }, false],
  [{ operator: 'Exists' }, true],
  [{ operator: 'DoesNotExist' }, false],
  [{ key: 'absent', operator: 'In', values: ['x'] }, false],
  [{ key: 'absent', operator: 'NotIn', values: ['x'] }, true],
  [{ key: 'absent', operator: 'DoesNotExist' }, true],
])('a zone selects namespaces by %j: %s', (expression, expected) => {
  expect(permits(selector(expression))).toBe(expected);
});

test('a zone requires all labels of a selector, and selects no unknown namespace', () => {
  const by = (matchLabels: Record<string, string>) => [{ namespaces: { from: 'Selector', selector: { matchLabels } } }];
  expect(permits(by({ team: 'shop', tier: 'gold' }))).toBe(true);
  expect(permits(by({ team: 'shop', tier: 'silver' }))).toBe(false);
  expect(permits(by({}), { namespace: 'unknown' })).toBe(false);
});

test('a zone says who can allow the record, and where', () => {
  const message = explainDenial(
    aZone({}, { namespace: 'dns' }),
    aRecord({}, { namespace: 'shop' }),
    'www',
    () => undefined,
  );
  expect(message).toBe(
    'DNSZone dns/example does not allow A records named www from namespace shop. The owner of that DNSZone can allow them in spec.allowedRecords.',
  );
});

test.each([
  [refused(400, 'bad_request', 'm'), 'refused', 'InvalidSpec'],
  [refused(409, 'conflict', 'm'), 'refused', 'Conflict'],
  [refused(403, 'forbidden', 'm'), 'refused', 'NotPermitted'],
  // A key can become valid again without an edit of any object.
  [refused(401, 'unauthorized', 'm'), 'transient', 'NotPermitted'],
  // The service reads the keys of the issuer soon.
  [refused(401, 'unauthorized', 'm', 40_000), 'transient', 'APIUnavailable'],
  [refused(429, 'rate_limited', 'm'), 'wait', 'RateLimited'],
  [refused(503, 'busy', 'm'), 'wait', 'ZoneBusy'],
  [refused(500, 'internal', 'm'), 'transient', 'APIError'],
  [refused(502, 'unknown', 'm'), 'transient', 'APIError'],
  [new ApiUnavailable('connect ECONNREFUSED 127.0.0.1:1'), 'transient', 'APIUnavailable'],
  [new PausedTooLong('RateLimited', 1), 'wait', 'RateLimited'],
  [new PausedTooLong('ZoneBusy', 1), 'wait', 'ZoneBusy'],
])('the failure %s is %s with reason %s', (error, kind, reason) => {
  expect(classifyFailure(error)).toMatchObject({ kind, reason });
});

test('a failure has the same message for each attempt', () => {
  const messages = [1, 2].map((n) => classifyFailure(new ApiUnavailable(`read ECONNRESET ${n}`))?.message);
  expect(messages[0]).toBe(messages[1]);
  const pauses = [1, 2].map((until) => classifyFailure(new PausedTooLong('RateLimited', until))?.message);
  expect(pauses[0]).toBe(pauses[1]);
});

test('a failure that is not a failed call to the service is thrown again', () => {
  expect(classifyFailure(new TypeError('x'))).toBeNull();
  expect(classifyFailure('x')).toBeNull();
});

const at = (time: string) => new Date(time);

test('conditions of a status carry the generation, and the time of their last change of status', () => {
  const first = conditionsWith(undefined, { Ready: no('Conflict', 'a') }, 1, at('2026-11-21T10:00:00.500Z'));
  expect(first).toEqual([
    {
      type: 'Ready',
      status: 'False',
      reason: 'Conflict',
      message: 'a',
      observedGeneration: 1,
      lastTransitionTime: '2026-11-21T10:00:00Z',
    },
  ]);
  const second = conditionsWith(first, { Ready: no('InvalidSpec', 'b') }, 2, at('2026-11-21T11:00:00Z'));
  expect(second).toMatchObject([
    { reason: 'InvalidSpec', observedGeneration: 2, lastTransitionTime: '2026-11-21T10:00:00Z' },
  ]);
  const third = conditionsWith(second, { Ready: yes('Propagated', 'c') }, 2, at('2026-11-21T12:00:00Z'));
  expect(third).toMatchObject([{ status: 'True', lastTransitionTime: '2026-11-21T12:00:00Z' }]);
});

test('conditions of a status that have no new result stay unchanged', () => {
  const before = conditionsWith(
    undefined,
    { Accepted: yes('Accepted', 'a'), Ready: yes('Programmed', 'b') },
    1,
    at('2026-11-21T10:00:00Z'),
  );
  const after = conditionsWith(before, { Ready: no('ZoneBusy', 'c') }, 2, at('2026-11-21T11:00:00Z'));
  expect(after[0]).toEqual(before[0]);
});

test('conditions of a status are summarized by the first one that is not True', () => {
  const ready = yes('Ready', 'all');
  expect(readyFrom([yes('Accepted', 'a'), yes('Programmed', 'b')], ready)).toEqual(ready);
  expect(readyFrom([yes('Accepted', 'a'), no('InvalidSpec', 'b'), no('ZoneBusy', 'c')], ready)).toEqual(
    no('InvalidSpec', 'b'),
  );
  expect(readyFrom([unknown('Drifted', 'u'), no('ZoneBusy', 'c')], ready)).toEqual(no('Drifted', 'u'));
});

test('a condition that nothing has decided since the object was created has the time of the creation, and others keep theirs', () => {
  const condition = (lastTransitionTime: string) => ({
    ...{ type: 'Delegated', status: 'Unknown' as const, reason: 'Pending', message: '' },
    lastTransitionTime,
  });
  const [created, later] = ['2026-11-21T10:00:00Z', '2026-11-21T11:00:00Z'];
  const before = [condition(UNDECIDED_SINCE), condition(later)];
  expect(sinceCreation(before, created)).toEqual([condition(created), condition(later)]);
  expect(sinceCreation(before, undefined)).toEqual(before);
});
