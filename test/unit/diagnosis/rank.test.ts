// The order of findings, the same words of two commands about one zone, and the limit of a reading.
import { expect, test } from 'vitest';
import { findingLines } from '#cli/findings.ts';
import { statusSections } from '#cli/kubectl/status.ts';
import { firstSections, whySections } from '#cli/kubectl/why.ts';
import { diagnoseName } from '#diagnosis/chain.ts';
import { fail, ok, warn } from '#diagnosis/finding.ts';
import type { KubeReader } from '#diagnosis/kube-reader.ts';
import { withLimit } from '#diagnosis/limit.ts';
import { diagnoseObject } from '#diagnosis/object.ts';
import { rankFindings } from '#diagnosis/rank.ts';
import { readFirstToRepair } from '#diagnosis/read-objects.ts';
import type { KubeObject } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { OWN, zone } from '../../support/cert-manager/solver.ts';

const { signal } = new AbortController();
const condition = (type: string, status: string, reason: string, message = '') => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: '',
});
const READY = condition('Ready', 'True', 'Ready');
const WITHOUT_DS = condition('Delegated', 'False', 'DSRequired', 'The parent zone has no DS record of this zone.');
const notReady = (reason: string) => condition('Ready', 'False', reason, `The message of ${reason}.`);
const withStatus = (status: object): DNSZone => ({ ...zone('a', 'example.org', OWN), status }) as DNSZone;
const record = (reason: string) =>
  ({
    kind: 'DNSRecord',
    metadata: { namespace: 'default', name: 'www', generation: 1 },
    spec: { zoneRef: { name: 'a' }, name: 'www', type: 'A', content: '192.0.2.1' },
    status: { conditions: [reason === 'Ready' ? READY : notReady(reason)] },
  }) as unknown as DNSRecord;
const diagnose = (object: DNSRecord, of: DNSZone) => diagnoseObject({ object, zone: { object: of }, named: [] });

test('the first finding is the first thing to repair', () => {
  const effect = { ...fail('zone', 'The zone waits for its servers', 'Wait'), isEffect: true };
  const server = fail('name-server', 'A server does not answer', 'Start it');
  const grant = fail('grant', 'The zone has no grant', 'Add one');
  const note = warn('zone', 'A small thing', 'Look at it');
  const good = ok('machine', 'All is well');
  expect(rankFindings([good, note, effect, server, grant])).toEqual([grant, server, effect, note, good]);
});

test('the commands doctor and why say the same about a zone without a delegation', async () => {
  const object = withStatus({ conditions: [READY, WITHOUT_DS], nameservers: [] });
  const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };
  const reader: KubeReader = {
    list: async (type) => ({ items: (type === DNS_ZONE ? [object] : []) as never[], gap: undefined }),
    get: async () => namespace as never,
    review: async () => ({}),
  };
  const resolver = { resolve4: async () => [], resolve6: async () => [] };
  const ports = { reader, resolver, overrides: new Map() };
  const findings = await diagnoseName(ports, 'www.example.org', 'default', signal);
  const delegation = findings.find(({ subject }) => subject === 'delegation');
  expect(delegation?.what).toContain('has no confirmed delegation: The parent zone has no DS record of this zone.');
  const sections = whySections({ object: record('Ready'), zone: { object }, named: [] });
  const said = sections.find(({ title }) => title === 'PROBLEMS OF THE ZONE')?.lines;
  expect(said).toEqual(findingLines(delegation ?? ok('zone', '')));
});

test('why without a name shows the first object to repair, and how many others there are', async () => {
  const broken = withStatus({ conditions: [notReady('NotPermitted')], nameservers: [] });
  const good = withStatus({ conditions: [READY], nameservers: [] });
  const said = async (zones: DNSZone[], records: DNSRecord[]) => {
    const reader: KubeReader = {
      list: async (type) => ({ items: (type === DNS_ZONE ? zones : records) as never[], gap: undefined }),
      get: async () => (zones[0] ?? { gap: 'object', problem: 'There is no such zone.' }) as never,
      review: async () => ({}),
    };
    const sections = firstSections(await readFirstToRepair(reader, 'default', signal), 'default');
    return sections.slice(0, 2).map(({ lines = [] }) => lines[0]);
  };
  // The record waits for its zone, so the zone is first.
  expect(await said([broken], [record('ZoneNotReady')])).toEqual([
    '2 objects are not Ready in namespace default. This is the first one to repair; "kubectl zonestead status" lists the others.',
    expect.stringMatching(/^DNSZone \S+: not Ready: NotPermitted$/),
  ]);
  expect(await said([good], [record('Conflict')])).toEqual([
    '1 object is not Ready in namespace default.',
    'DNSRecord default/www: not Ready: Conflict',
  ]);
  expect(await said([good], [record('Ready')])).toEqual(['All 2 objects in namespace default are Ready.']);
  expect(await said([], [])).toEqual(['There are no DNSZones and no DNSRecords in namespace default.']);
});

test('the next step of a record that waits for its name servers is at the node that is behind', () => {
  const nodes = [{ name: 'ns2', state: 'Behind', problem: 'The disk of ns2 is full' }];
  const behind = withStatus({ conditions: [READY], nodes, nodesCurrent: '0/1' });
  expect(diagnose(record('AwaitingPropagation'), behind).nextStep.words).toMatch(/^Read the log of node ns2/);
  expect(diagnose(record('Conflict'), behind).nextStep.words).toMatch(/conflict/);
  expect(diagnose(record('Ready'), behind).nextStep.words).toBe('Look at the zone of the record.');
});

test('the next step of a record whose zone is not Ready is that of the zone', () => {
  const { nextStep, problems } = diagnose(
    record('ZoneNotReady'),
    withStatus({ conditions: [notReady('InvalidSpec')] }),
  );
  expect(nextStep.commands).toEqual(['kubectl edit dnszone.zonestead.dev/a -n default']);
  expect(problems[0]?.what).toBe('DNSZone default/a is not Ready: InvalidSpec: The message of InvalidSpec.');
});

test('the overview leads to the zone if only the zone is the cause', () => {
  const broken = withStatus({ conditions: [notReady('InvalidSpec')] });
  const next = (reason: string) =>
    statusSections({ zones: [broken], records: [record(reason)], namespace: 'default', notes: [] }).at(-1)?.lines;
  expect(next('ZoneNotReady')).toEqual(['kubectl zonestead why zdz/a -n default']);
  expect(next('Conflict')).toEqual(['kubectl zonestead why zdr/www -n default']);
});

test('a reading ends at its limit, also if a part of it does not follow the signal', async () => {
  await expect(withLimit(5, signal, () => new Promise(() => undefined))).rejects.toThrow('no answer within 0.005 s');
  expect(await withLimit(60_000, signal, async () => 'an answer')).toBe('an answer');
  const caller = new AbortController();
  const waiting = withLimit(60_000, caller.signal, () => new Promise(() => undefined));
  caller.abort(new Error('the end of the command'));
  await expect(waiting).rejects.toThrow('the end of the command');
});
