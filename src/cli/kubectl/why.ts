// `kubectl zonestead why`: everything that is known about one object, and the command to type next. Pure.
import { findCondition } from '#kube/objects/conditions.ts';
import { adviceFor, plainAdvice } from '#resources/advice.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { summaryOf, valuesOf } from '#resources/summary.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import { type NextStep, nextStep, verifyStep } from './next-step.ts';
import {
  AGE,
  conditionsOf,
  isZone,
  readyOf,
  recordWords,
  type Shown,
  stateOf,
  titleOf,
  zoneNameOf,
} from './objects.ts';
import type { Section } from './sections.ts';
import { delegationOf } from './status.ts';

/** An object that is shown, or the sentence why it is not. */
export type ShownObject = { readonly object: Shown } | { readonly problem: string };

export interface Facts {
  readonly object: Shown;
  /** The zone of a record; undefined for a zone. */
  readonly zone: ShownObject | undefined;
  /** The objects that conditions which are not True name, in their order. */
  readonly named: readonly (ShownObject & { readonly key: Parameters<typeof nextStep>[2][number] })[];
}

export function whySections(facts: Facts): Section[] {
  const { object, zone, named } = facts;
  const served = isZone(object)
    ? object
    : zone !== undefined && 'object' in zone
      ? (zone.object as DNSZone)
      : undefined;
  const known = named.map(({ key, ...found }) =>
    'object' in found ? sentenceOf(found.object) : `${key.kind} ${key.namespace}/${key.name}: ${found.problem}`,
  );
  const { words, command, more = [] } = stepOf(facts);
  return [
    {
      lines: [`${titleOf(object)}: ${stateOf(object)}`, ...(isZone(object) ? zoneLines(object) : recordLines(object))],
    },
    { title: 'CONDITIONS', lines: conditionLines(object) },
    ...(zone === undefined ? [] : [{ title: 'ZONE', lines: zoneOfRecord(zone) }]),
    { ...(known.length > 0 ? { title: 'NAMED BY THE CONDITIONS', lines: known } : {}) },
    ...(served === undefined ? [] : nodeSections(served)),
    ...(served === undefined || isZone(object) ? [] : [{ lines: delegationLine(served) }]),
    { title: 'NEXT', lines: [words, ...[command, ...more].map((each) => `  ${each}`)] },
  ];
}

function stepOf({ object, named }: Facts): NextStep {
  const { isReady, reason } = readyOf(object);
  if (isReady) return verifyStep(object);
  return nextStep(
    object,
    reason,
    named.map(({ key }) => key),
  );
}

function recordLines({ spec, metadata, status }: DNSRecord): string[] {
  const values = summaryOf(valuesOf(spec));
  return [
    `  ${status?.fqdn ?? spec.name} ${spec.type} ${values}`,
    `  TTL: ${spec.ttl ?? 'that of the zone'}`,
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

/** A condition with such a name means a problem if it is True. */
const BAD_IF_TRUE = /^Deletion/;

/** A message is printed once, below the first condition that has it, and so is the remedy of a reason. */
function conditionLines(object: Shown): string[] {
  const said = new Set<string>();
  const once = (text: string) => {
    if (said.has(text)) return [];
    said.add(text);
    return [text];
  };
  return conditionsOf(object).flatMap(({ type, status, reason, message }) => {
    const isGood = BAD_IF_TRUE.test(type) ? status === 'False' : status === 'True';
    const line = `  ${type}: ${status}${reason === type ? '' : `, ${reason}`}`;
    if (isGood) return [line];
    const advice = adviceFor(reason);
    const remedy = advice === undefined ? [] : once(`    Remedy: ${plainAdvice(advice.remedy)}.`);
    return [line, ...once(`    ${message}`), ...remedy];
  });
}

function zoneOfRecord(found: ShownObject): string[] {
  if ('problem' in found) return [`  ${found.problem}`];
  const { object } = found;
  const { isReady, message } = readyOf(object);
  const rules = isZone(object) ? rulesOf(object) : [];
  return [
    `  ${sentenceOf(object)}`,
    ...(isReady ? [] : [`    ${message}`]),
    ...rules.map((rule) => `    allows: ${rule}`),
  ];
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

/** The name servers, with the serials that they served when the operator last proved the zone. */
function nodeSections(zone: DNSZone): Section[] {
  const { status } = zone;
  const serial = status?.serial === undefined ? '' : ` (the service had serial ${status.serial}, ${AGE})`;
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
      title: 'NODES',
      table: {
        heading: ['NAME', 'STATE', 'PROBLEM'],
        rows: (status?.nodes ?? []).map(({ name, state, problem }) => [name, state, problem ?? '-']),
      },
    },
    {
      title: 'SECONDARIES',
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

function delegationLine(zone: DNSZone): string[] {
  const delegated = findCondition(conditionsOf(zone), 'Delegated');
  if (delegated?.status === 'True') return [];
  const { zoneName } = zone.spec;
  if (delegated?.status !== 'False')
    return [`The operator does not know whether the parent delegates ${zoneName} (${delegationOf(zone)}).`];
  return [`The delegation of ${zoneName} by its parent is not complete (${delegationOf(zone)}).`];
}

/** The objects of a namespace that a name may mean, in a sentence, for a name that means none. */
export function unknownName(name: string, where: string, known: readonly Shown[]): string {
  const names = known.map((object) => object.metadata.name);
  const near = names.filter((each) => each.includes(name) || name.includes(each)).slice(0, 5);
  const hint = near.length > 0 ? ` Similar names are ${near.join(', ')}.` : '';
  return `There is no DNSZone and no DNSRecord ${name} in ${where}.${hint} kubectl zonestead status lists what is there.`;
}
