// The next command of `kubectl zonestead why`: one for each reason, with the names of the objects that it concerns.
import { describe, expect, test } from 'vitest';
import { statusSections } from '#cli/kubectl/status.ts';
import { rulesOf, whySections } from '#cli/kubectl/why.ts';
import { namedIn, nextStep, verifyStep } from '#diagnosis/next-step.ts';
import { readyOf } from '#diagnosis/objects.ts';
import { unknownName } from '#diagnosis/read-objects.ts';
import { adviceFor, plainAdvice, READY_ADVICE } from '#resources/advice.ts';
import { deletionWaits } from '#resources/deletion.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { NOT_READY_REASONS } from '#resources/reasons.ts';
import { unownedValue } from '#resources/unowned.ts';

const metadata = (name: string, generation = 1) => ({ namespace: 'team-a', name, generation });
const record = (spec: object = {}, status: object = {}) =>
  ({
    kind: 'DNSRecord',
    metadata: metadata('www'),
    spec: { zoneRef: { name: 'mine', namespace: 'dns' }, name: 'www', type: 'A', content: '192.0.2.1', ...spec },
    status,
  }) as unknown as DNSRecord;
const zone = (spec: object = {}, status: object = {}) =>
  ({
    kind: 'DNSZone',
    metadata: metadata('mine'),
    spec: { zoneName: 'mine.example', ...spec },
    status,
  }) as unknown as DNSZone;
const commandFor = (object: DNSRecord | DNSZone, reason: string, message = '') =>
  nextStep(object, reason, namedIn(message, object)).commands?.[0];

test.each(NOT_READY_REASONS)(
  'the next command exists for the reason %s of both kinds, and names no object wrongly',
  (reason) => {
    for (const object of [record(), zone()]) {
      const { words, commands: [command] = [] } = nextStep(object, reason, []);
      expect(words).toMatch(/^[A-Z].*\.$/);
      expect(command).toMatch(/^(kubectl|zonestead) /);
      expect(command).not.toMatch(/undefined|-n *$|\/ /);
    }
  },
);

test('the next command for a conflict is to look at the winner', () => {
  const message = 'DNSRecord team-b/www-2 already owns 192.0.2.1. Delete one of the two objects.';
  expect(commandFor(record(), 'Conflict', message)).toBe('kubectl zonestead why zdr/www-2 -n team-b');
  const taken = 'DNSZone team-b/other already has mine.example. Delete one of the two objects.';
  expect(commandFor(zone(), 'Conflict', taken)).toBe('kubectl zonestead why zdz/other -n team-b');
  expect(commandFor(record(), 'Conflict')).toBe('kubectl edit dnsrecord.zonestead.dev/www -n team-a');
});

test('the next commands for a conflict with a record that belongs to no object say who made it, take it over, or delete it', () => {
  const why = (spec: object, fqdn: string | undefined, value: string) => {
    const conditions = [{ type: 'Ready', status: 'False', reason: 'Conflict', message: unownedValue(value) }];
    const { words, commands } = nextStep(record(spec, { fqdn, conditions }), 'Conflict', []);
    expect(words).toContain('belongs to no object');
    return commands;
  };
  const adopt = `kubectl patch dnsrecord.zonestead.dev/www -n team-a --type merge -p '{"spec":{"adopt":"IfIdentical"}}'`;
  expect(why({}, 'www.mine.example', '192.0.2.1')).toEqual([
    'zonestead changes list mine.example --name www',
    adopt,
    'zonestead records delete mine.example www A 192.0.2.1',
  ]);
  const text = { name: '@', type: 'TXT', content: '"a; $(b)"' };
  expect(why(text, 'mine.example', '"a; $(b)"')).toEqual([
    'zonestead changes list mine.example --name @',
    adopt,
    `zonestead records delete mine.example @ TXT '"a; $(b)"'`,
  ]);
  // A value that the condition shortens, and an object whose zone is not known.
  expect(why({}, 'www.mine.example', '192.0.…')).toHaveLength(2);
  expect(why({}, undefined, '192.0.2.1')).toEqual([adopt]);
});

test('the next command for a missing permission is in the zone that refuses', () => {
  expect(commandFor(record(), 'NotPermitted')).toBe('kubectl edit dnszone.zonestead.dev/mine -n dns');
  const inside = 'a.mine.example is inside the zone of DNSZone dns/above in another namespace.';
  expect(commandFor(zone(), 'NotPermitted', inside)).toBe('kubectl edit dnszone.zonestead.dev/above -n dns');
});

test('the next command for a problem of the zone is at the zone', () => {
  expect(commandFor(record(), 'ZoneNotReady')).toBe('kubectl zonestead why zdz/mine -n dns');
  const parked = `kubectl patch dnszone.zonestead.dev/mine -n dns --type merge -p '{"spec":{"parked":false}}'`;
  expect(commandFor(record(), 'ZoneParked')).toBe(parked);
});

test('the next command for a Secret names the Secret of the zone', () => {
  const own = zone({ credentialsSecretRef: { name: 'key' } });
  expect(commandFor(own, 'CredentialsRejected')).toBe('kubectl describe secret key -n team-a');
});

test('the next command for a zone that is Ready is a question for its first name server, at its port', () => {
  const at = (address: string) => verifyStep(zone({}, { servers: [{ name: 'ns1', address }] })).commands?.[0];
  expect(at('192.0.2.53')).toBe('dig +norecurse @192.0.2.53 mine.example SOA');
  expect(at('127.0.0.1:5300')).toBe('dig +norecurse @127.0.0.1 -p 5300 mine.example SOA');
  expect(at('2001:db8::53')).toBe('dig +norecurse @2001:db8::53 mine.example SOA');
  expect(at('[2001:db8::53]:5300')).toBe('dig +norecurse @2001:db8::53 -p 5300 mine.example SOA');
  expect(verifyStep(zone()).commands).toEqual(['dig mine.example SOA']);
});

describe('a deletion that waits', () => {
  const blocked = (reason: string, message: string, spec: object = {}) => {
    const conditions = ['Ready', 'DeletionBlocked'].map((type) => ({
      type,
      status: type === 'Ready' ? 'False' : 'True',
      reason: type === 'Ready' ? 'DeletionBlocked' : reason,
      message,
      lastTransitionTime: '',
    }));
    const sections = whySections({ object: zone(spec, { conditions }), zone: undefined, named: [] });
    return (sections.at(-1)?.lines ?? []).slice(1).map((line) => line.trim());
  };
  const force = 'kubectl annotate dnszone.zonestead.dev/mine -n team-a zonestead.dev/force-delete=true';
  const keep = `kubectl patch dnszone.zonestead.dev/mine -n team-a --type merge -p '{"spec":{"deletionPolicy":"Retain"}}'`;

  test('a deletion that waits is solved by the commands that delete the records, force it, or keep the zone', () => {
    const message = deletionWaits({ unowned: ['www A', '* TXT', '@ MX'], ofOthers: 0 }) ?? '';
    expect(blocked('ForeignRecords', message)).toEqual([
      'zonestead records delete mine.example www A',
      "zonestead records delete mine.example '*' TXT",
      'zonestead records delete mine.example @ MX',
      force,
      keep,
    ]);
  });

  test('a deletion that waits runs nothing that the name of a record or zone says', () => {
    const message = deletionWaits({ unowned: ['$(reboot) A', '-rf A', 'a;b A', 'ok A'], ofOthers: 1 }) ?? '';
    expect(blocked('ForeignRecords', message, { zoneName: "x';reboot" })).toEqual([
      `zonestead records delete 'x'\\'';reboot' ok A`,
      force,
      keep,
    ]);
  });

  test('a deletion that waits for the records of others, and for many deletions, has the annotation', () => {
    const message = deletionWaits({ unowned: [], ofOthers: 3 }) ?? '';
    expect(blocked('ForeignRecords', message)).toEqual([force, keep]);
    const many = 'kubectl annotate dnszone.zonestead.dev/mine -n team-a zonestead.dev/release-many=true';
    expect(blocked('ManyDeleted', 'More than half of all DNSZones were deleted at once.')).toEqual([many, keep]);
  });
});

test('a record that is Ready while an address fails shows its members, and the next step is to repair that server', () => {
  const reason = 'The connection is refused.';
  const members = [
    { content: '192.0.2.1', tier: 0, state: 'Unhealthy', since: '2026-11-21T12:00:00Z', reason, served: false },
    { content: '192.0.2.2', tier: 1, state: 'Healthy', served: true },
  ];
  const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '', observedGeneration: 1 };
  const object = record({ healthCheck: { checkRef: 'web' } }, { conditions: [ready], members });
  const sections = whySections({ object, named: [], pods: [] } as never);
  expect(sections.find(({ title }) => title === 'MEMBERS of the check web')?.table?.rows).toEqual([
    ['192.0.2.1', '0', 'Unhealthy', 'no', '2026-11-21T12:00:00Z', reason],
    ['192.0.2.2', '1', 'Healthy', 'yes', '-', '-'],
  ]);
  expect(sections.at(-1)?.lines?.[0]).toBe(`Repair the server at 192.0.2.1: ${reason} Answers then include it again.`);
  const [, healthy] = members;
  const well = whySections({ object: record({}, { conditions: [ready], members: [healthy] }), named: [] } as never);
  expect(well.at(-1)?.lines?.[0]).toBe('Look at the zone of the record.');
});

test('a record that follows a Service shows it, and the next step is to look at its endpoints', () => {
  const reason = 'No endpoint of the Service web is ready.';
  const members = [{ content: '192.0.2.1', tier: 0, state: 'Unhealthy', reason, served: true }];
  const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '', observedGeneration: 1 };
  const healthFrom = { serviceRef: { name: 'web', port: 'https' } };
  const sections = whySections({
    object: record({ healthFrom }, { conditions: [ready], members }),
    named: [],
  } as never);
  expect(sections.map(({ title }) => title)).toContain('MEMBERS by the endpoints of the Service web:https');
  expect(sections.at(-1)?.lines?.slice(0, 2)).toEqual([
    `See why no pod of the Service web is ready: ${reason} Answers then include the addresses again.`,
    '  kubectl get endpointslices -l kubernetes.io/service-name=web -n team-a',
  ]);
});

test('a record with weights names the nodes that answer evenly, and another record does not', () => {
  const nodes = [
    { name: 'ns2', state: 'Current', evenly: true },
    { name: 'ns1', state: 'Current', evenly: true },
    { name: 'ns3', state: 'Current' },
  ];
  const linesOf = (spec: object) =>
    whySections({ object: record(spec), zone: { object: zone({}, { nodes }) }, named: [] } as never)[0]?.lines ?? [];
  const weighted = { content: undefined, values: [{ content: '192.0.2.1', weight: 5 }] };
  expect(linesOf(weighted)).toContainEqual(
    expect.stringMatching(/^ {2}Nodes ns1, ns2 answer records with weights with all of them, evenly: /),
  );
  expect(linesOf({}).join('\n')).not.toContain('evenly');
});

test('the objects that a message names are listed once each, without the object itself and without the final dot of the sentence', () => {
  const message =
    'DNSRecord team-b/a.b has A records. DNSRecord team-b/a.b again, DNSRecord team-a/www, and DNSZone dns/mine.';
  expect(namedIn(message, record())).toEqual([
    { kind: 'DNSRecord', namespace: 'team-b', name: 'a.b' },
    { kind: 'DNSZone', namespace: 'dns', name: 'mine' },
  ]);
});

const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '', observedGeneration: 1 };

test('Ready counts for the newest generation only', () => {
  const changed = { ...record({}, { conditions: [ready] }), metadata: metadata('www', 2) };
  expect(readyOf(record({}, { conditions: [ready] })).isReady).toBe(true);
  expect(readyOf(changed)).toMatchObject({ isReady: false, reason: 'Pending' });
  expect(readyOf(record({}, {}))).toMatchObject({ isReady: false, reason: 'Pending' });
});

describe('the delegation of the zone of a record', () => {
  const linesFor = (status: string, reason: string) => {
    const delegated = { type: 'Delegated', status, reason, message: '', lastTransitionTime: '' };
    const object = zone({}, { conditions: [delegated] });
    const sections = whySections({ object: record(), zone: { object }, named: [] });
    return sections.flatMap(({ lines = [] }) => lines).join('\n');
  };

  test('the delegation of the zone of a record is a warning with the next step for its reason, unless the parent delegates the zone', () => {
    expect(linesFor('True', 'Delegated')).not.toMatch(/delegation/);
    for (const status of ['False', 'Unknown'])
      expect(linesFor(status, 'DSRequired')).toMatch(
        /^warn {2}mine\.example has no confirmed delegation: .*\n +→ Publish the DS record of the message at the parent\./m,
      );
    expect(linesFor('Unknown', 'NoResolver')).toContain('→ Set ZONESTEAD_RESOLVER of the operator.');
  });
});

test('words of a sentence describe each rule of allowedRecords', () => {
  const selector = {
    matchLabels: { team: 'web' },
    matchExpressions: [{ key: 'stage', operator: 'In', values: ['a', 'b'] }],
  };
  const rules = [
    { namespaces: { from: 'All' }, names: ['www', '*.dev'], types: ['A', 'AAAA'] },
    { namespaces: { from: 'Same' } },
    { namespaces: { from: 'Selector', selector }, types: ['TXT'] },
  ];
  expect(rulesOf(zone({ allowedRecords: rules }))).toEqual([
    'A, AAAA records named www, *.dev from all namespaces',
    'all records named anything from the namespace of the zone',
    'TXT records named anything from namespaces with team=web and stage In (a, b)',
  ]);
});

test('words of a sentence suggest similar names for a name that does not exist', () => {
  expect(unknownName('ww', 'namespace team-a', [record()])).toContain('Similar names are www.');
  expect(unknownName('x', 'namespace team-a', [record()])).not.toContain('Similar');
});

test('words of a sentence for a remedy are free of Markdown', () => {
  for (const { remedy } of Object.values(READY_ADVICE)) expect(plainAdvice(remedy)).not.toMatch(/[`[\]]/);
  expect(plainAdvice('set `a` or [b](c.md#d).')).toBe('set a or b.');
  expect(adviceFor('DSRequired')?.remedy).toMatch(/DS record/);
  expect(adviceFor('Ready')).toBe(undefined);
});

test('the table of zones counts the DNSRecords of each zone, and shows the name as DNS has it', () => {
  const mine = zone({ zoneName: 'Upper.Example.' }, { records: 0 });
  const inMine = { zoneRef: { name: 'mine' } };
  const overview = {
    zones: [mine],
    records: [record(inMine), record(inMine), record()],
    namespace: 'team-a',
    notes: [],
  };
  const table = statusSections(overview).flatMap(({ table: found }) => found ?? []);
  expect(table[0]?.heading.slice(0, 3)).toEqual(['NAME', 'ZONE', 'DNSRECORDS']);
  expect(table[0]?.rows[0]?.slice(0, 3)).toEqual(['mine', 'upper.example', '2']);
});
