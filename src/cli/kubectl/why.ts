// `kubectl zonestead why`: everything that is known about one object, and the command to type next. Pure.

import { diagnoseObject, zoneIn } from '#diagnosis/object.ts';
import { judgeConditions } from '#diagnosis/object-checks.ts';
import { AGE, isZone, recordWords, type Shown, stateOf, titleOf, zoneNameOf } from '#diagnosis/objects.ts';
import type { FirstFacts, ObjectFacts, ShownObject } from '#diagnosis/read-objects.ts';
import { describeEvenly } from '#diagnosis/zone-checks.ts';
import { describeKeyRoll, listKeyRows } from '#diagnosis/zone-keys.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { writeServiceRef } from '#resources/health-from.ts';
import { listRecordValues, summarizeTtl, summarizeValues } from '#resources/summary.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import { findingLines } from '../findings.ts';
import type { Section } from './sections.ts';

export function whySections(facts: ObjectFacts): Section[] {
  const { object, zone, named } = facts;
  const served = zoneIn(facts);
  const { problems, nextStep } = diagnoseObject(facts);
  const namedLines = named.map(({ key, ...found }) =>
    'object' in found ? sentenceOf(found.object) : `${key.kind} ${key.namespace}/${key.name}: ${found.problem}`,
  );
  return [
    {
      lines: [
        `${titleOf(object)}: ${stateOf(object)}`,
        ...(isZone(object) ? zoneLines(object) : recordLines(object, served)),
      ],
    },
    { title: 'CONDITIONS', lines: conditionLines(object) },
    ...keySections(object),
    ...memberSections(object),
    ...reverseSections(object),
    ...(zone === undefined ? [] : [{ title: 'ZONE', lines: zoneOfRecord(zone) }]),
    { title: 'NAMED BY THE CONDITIONS', lines: namedLines },
    ...(served === undefined ? [] : nodeSections(served)),
    { title: 'PROBLEMS OF THE ZONE', lines: problems.flatMap(findingLines) },
    { title: 'NEXT', lines: [nextStep.words, ...(nextStep.commands ?? []).map((each) => `  ${each}`)] },
  ];
}

/** The first object to repair, below a sentence that says how many there are. */
export function firstSections({ first, open, total, notes }: FirstFacts, namespace: string | undefined): Section[] {
  const where = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
  if (first === undefined) {
    const said =
      total === 0
        ? `There are no DNSZones and no DNSRecords in ${where}.`
        : `All ${total} objects in ${where} are Ready.`;
    return [{ lines: [...notes, ...(total === 0 && notes.length > 0 ? [] : [said])] }];
  }
  const count = open === 1 ? '1 object is' : `${open} objects are`;
  const order = open === 1 ? '' : ' This is the first one to repair; "kubectl zonestead status" lists the others.';
  return [{ lines: [`${count} not Ready in ${where}.${order}`, ...notes] }, ...whySections(first)];
}

/** @param zone undefined: it cannot be read */
function recordLines({ spec, metadata, status }: DNSRecord, zone: DNSZone | undefined): string[] {
  const hasWeights = spec.values?.some(({ weight }) => weight !== undefined) ?? false;
  const evenly = hasWeights ? describeEvenly(zone?.status) : null;
  const values = summarizeValues(listRecordValues(spec));
  return [
    `  ${status?.fqdn ?? spec.name} ${spec.type} ${values}`,
    `  TTL: ${summarizeTtl(spec)}`,
    ...(evenly === null ? [] : [`  ${evenly}`]),
    ...deletion(metadata.deletionTimestamp),
    ...attempt(status?.nextAttemptTime),
  ];
}

function zoneLines({ spec, metadata, status }: DNSZone): string[] {
  const [ds] = status?.ds ?? [];
  return [
    `  ${zoneNameOf({ spec } as DNSZone)}, ${status?.state ?? 'not at the service yet'}`,
    `  owner: ${status?.owner ?? spec.owner ?? 'the team of the API key'}`,
    ...(status?.records === undefined ? [] : [`  records at the service: ${status.records} (${AGE})`]),
    ...(status?.nameservers === undefined ? [] : [`  NS records for the parent: ${status.nameservers.join(', ')}`]),
    ...(ds === undefined ? [] : [`  DS record for the parent: ${ds.record}`]),
    ...deletion(metadata.deletionTimestamp),
    ...attempt(status?.nextAttemptTime),
  ];
}

const deletion = (time: string | undefined) => (time === undefined ? [] : [`  deleted at ${time}`]);
const attempt = (time: string | undefined) => (time === undefined ? [] : [`  next attempt at ${time}`]);

/** A message is printed once, below the first condition that has it, and so is the remedy of a reason. */
function conditionLines(object: Shown): string[] {
  const said = new Set<string>();
  const once = (text: string) => {
    if (said.has(text)) return [];
    said.add(text);
    return [text];
  };
  return judgeConditions(object).flatMap(({ condition, isGood, remedy }) => {
    const { type, status, reason, message } = condition;
    const line = `  ${type}: ${status}${reason === type ? '' : `, ${reason}`}`;
    if (isGood) return [line];
    return [line, ...once(`    ${message}`), ...(remedy === undefined ? [] : once(`    Remedy: ${remedy}.`))];
  });
}

function zoneOfRecord(found: ShownObject): string[] {
  if ('problem' in found) return [`  ${found.problem}`];
  const { object } = found;
  const rules = isZone(object) ? rulesOf(object) : [];
  return [`  ${sentenceOf(object)}`, ...rules.map((rule) => `    allows: ${rule}`)];
}

/** The rules of spec.allowedRecords in words, such as "A, AAAA records named www from all namespaces". */
export function rulesOf({ spec }: DNSZone): string[] {
  return (spec.allowedRecords ?? []).map(({ namespaces, names, types }) => {
    const from =
      namespaces.from === 'All'
        ? 'all namespaces'
        : namespaces.from === 'Same'
          ? 'the namespace of the zone'
          : `namespaces with ${labels(namespaces.selector)}`;
    return `${types?.join(', ') ?? 'all'} records named ${names?.join(', ') ?? 'anything'} from ${from}`;
  });
}

type Selector = NonNullable<NonNullable<DNSZone['spec']['allowedRecords']>[number]['namespaces']['selector']>;

function labels(selector: Selector | undefined): string {
  const equal = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const others = (selector?.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) => `${key} ${operator}${values.length > 0 ? ` (${values.join(', ')})` : ''}`,
  );
  return [...equal, ...others].join(' and ') || 'any labels';
}

function sentenceOf(object: Shown): string {
  const words = isZone(object) ? object.spec.zoneName : `${recordWords(object)} in DNSZone ${zoneKeyOf(object)}`;
  return `${titleOf(object)}: ${words}: ${stateOf(object)}`;
}

/** The DNSSEC keys of a zone, and its key roll. */
function keySections(object: Shown): Section[] {
  if (!isZone(object)) return [];
  return [
    { title: 'DNSSEC KEYS', table: { heading: ['KEY', 'ALGORITHM', 'STATE', 'CREATED'], rows: listKeyRows(object) } },
    { title: 'KEY ROLL', lines: describeKeyRoll(object).map((line) => `  ${line}`) },
  ];
}

/** The addresses of a record with a health check. */
function memberSections(object: Shown): Section[] {
  if (isZone(object) || object.status?.members === undefined) return [];
  const { healthCheck, healthFrom } = object.spec;
  const source =
    healthFrom === undefined
      ? healthCheck?.checkRef === undefined
        ? ''
        : ` of the check ${healthCheck.checkRef}`
      : ` by the endpoints of the Service ${writeServiceRef(healthFrom.serviceRef)}`;
  return [
    {
      title: `MEMBERS${source}`,
      table: {
        heading: ['ADDRESS', 'TIER', 'STATE', 'SERVED', 'SINCE', 'REASON'],
        rows: object.status.members.map(({ content, tier, state, served, since, reason }) => [
          content,
          String(tier),
          state,
          served ? 'yes' : 'no',
          since ?? '-',
          reason ?? '-',
        ]),
      },
    },
  ];
}

/** The addresses of a record with spec.reverse. */
function reverseSections(object: Shown): Section[] {
  if (isZone(object) || object.status?.reverse === undefined) return [];
  const rows = object.status.reverse.map(({ content, state, reason }) => [content, state, reason ?? '-']);
  return [{ title: 'PTR RECORDS', table: { heading: ['ADDRESS', 'STATE', 'REASON'], rows } }];
}

/** The name servers, with the serials that they served when the operator last proved the zone. */
function nodeSections(zone: DNSZone): Section[] {
  const { status } = zone;
  const serial = status?.serial === undefined ? '' : ` (the service had serial ${status.serial}; ${AGE})`;
  return [
    {
      title: `NAME SERVERS of ${zone.spec.zoneName}${serial}`,
      table: {
        heading: ['NAME', 'ADDRESS', 'NODE', 'SERIAL', 'PROBLEM'],
        rows: (status?.servers ?? []).map(({ name, address, node, serial: own, problem }) => [
          name,
          address,
          node ?? '-',
          own === undefined ? '-' : String(own),
          problem ?? '-',
        ]),
      },
    },
    {
      title: `NODES (${AGE})`,
      table: {
        heading: ['NAME', 'STATE', 'PROBLEM'],
        rows: (status?.nodes ?? []).map(({ name, state, problem }) => [name, state, problem ?? '-']),
      },
    },
    {
      title: `SECONDARIES (${AGE})`,
      table: {
        heading: ['NAME', 'STATE', 'SERIAL', 'PROBLEM'],
        rows: (status?.secondaries ?? []).map(({ name, state, serial: own, problem }) => [
          name,
          state,
          own === undefined ? '-' : String(own),
          problem ?? '-',
        ]),
      },
    },
  ];
}
