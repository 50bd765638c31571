// `kubectl zonestead tree`: a zone, its records by namespace, and the conditions of those that are not Ready. Pure.
import {
  AGE,
  conditionsOf,
  namespaceOf,
  readyOf,
  recordWords,
  type Shown,
  sorted,
  stateOf,
  titleOf,
} from '#diagnosis/objects.ts';
import type { ZoneFacts } from '#diagnosis/read-objects.ts';
import type { Condition } from '#kube/objects/conditions.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { Section } from './sections.ts';

interface Node {
  readonly text: string;
  readonly below: readonly Node[];
}

export function treeSections({ zone, records, notes }: ZoneFacts): Section[] {
  const own = namespaceOf(zone);
  const recordNode = (record: DNSRecord): Node => {
    const title = namespaceOf(record) === own ? `DNSRecord ${record.metadata.name}` : titleOf(record);
    return { text: `${title}: ${recordWords(record)}: ${stateOf(record)}`, below: conditionNodes(record) };
  };
  // Records of the zone's own namespace first.
  const inOrder = [
    ...sorted(records.filter((record) => namespaceOf(record) === own)),
    ...sorted(records.filter((record) => namespaceOf(record) !== own)),
  ];
  const root = `${titleOf(zone)}: ${zone.spec.zoneName}: ${stateOf(zone)}`;
  const { owner, records: total } = zone.status ?? {};
  const service = [
    ...(owner === undefined ? [] : [`The zone belongs to ${owner} at the service.`]),
    ...(total === undefined ? [] : [`It had ${total} records there, with those of other owners (${AGE}).`]),
  ].join(' ');
  return [
    { lines: [root, ...branches([...conditionNodes(zone), ...inOrder.map(recordNode)])] },
    { lines: [...(service === '' ? [] : [service]), ...notes] },
  ];
}

/** All conditions in one line if the object is Ready, otherwise each with its message. */
function conditionNodes(object: Shown): Node[] {
  const conditions = conditionsOf(object);
  const isOpen = ({ status, type }: Condition) =>
    status !== 'True' && !['Ready', 'DeletionBlocked', 'DeletionsHeld', 'Degraded', 'EtcdRestored'].includes(type);
  const names = (list: readonly Condition[]) => list.map(({ type }) => type).join(', ');
  const met = conditions.filter(({ status }) => status === 'True');
  const below = conditions.filter(isOpen).map(({ type, status, reason, message }) => ({
    text: `${type} ${status}: ${reason}: ${message}`,
    below: [],
  }));
  const isPlain = readyOf(object).isReady && below.length === 0;
  if (met.length === 0) return below;
  return [{ text: isPlain ? names(met) : `True: ${names(met)}`, below: [] }, ...below];
}

function branches(nodes: readonly Node[], indent = ''): string[] {
  return nodes.flatMap(({ text, below }, at) => {
    const isLast = at === nodes.length - 1;
    return [`${indent}${isLast ? '└─ ' : '├─ '}${text}`, ...branches(below, `${indent}${isLast ? '   ' : '│  '}`)];
  });
}
