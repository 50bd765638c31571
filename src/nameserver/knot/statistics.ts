// knotd's counters, as the command `stats` gives them, in the terms of the metrics. Pure. Knot omits counters that are
// zero.
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import type { KnotItem } from './protocol.ts';

/** One counter with its labels. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  /** Without the product's prefix. */
  readonly name: string;
  readonly help: string;
  /** Every series that exists from the start, with the value zero. */
  readonly zeros: readonly Readonly<Record<string, string>>[];
  /** The section and the item of Knot; `label` gives the labels for an id of the item. */
  readonly section: string;
  readonly items: readonly string[];
  label(item: string, id: string): Readonly<Record<string, string>>;
}

/** Types with a series of their own: those of a zone, and ANY. Clients choose the type, so all others share one. */
const TYPES = [...Object.keys(TYPE_NUMBERS), 'ANY'].sort();
/** As Knot spells them (RFC 1035 section 4.1.1, RFC 8945, RFC 7873). */
const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMPL', 'REFUSED', 'NOTAUTH', 'BADCOOKIE', 'BADVERS'];
const NODATA = ['A', 'AAAA', 'other'];
const OPERATIONS = ['query', 'notify', 'update', 'axfr', 'ixfr', 'invalid'];
const LIMITED: Readonly<Record<string, string>> = { slipped: 'truncated', dropped: 'dropped' };
const TRANSPORTS = ['udp', 'tcp'];
const FAMILIES = ['ipv4', 'ipv6'];

const limitToKnown = (names: readonly string[], id: string) => (names.includes(id) ? id : 'other');
const each = (label: string, names: readonly string[]) => names.map((name) => ({ [label]: name }));

export const COUNTERS: readonly Family[] = [
  {
    name: 'dns_queries_total',
    help: 'Queries that the name server received, by transport and family of addresses.',
    zeros: TRANSPORTS.flatMap((transport) => FAMILIES.map((family) => ({ transport, family }))),
    section: 'mod-stats',
    items: ['request-protocol'],
    label: (_, id) => {
      const [, transport = 'other', version] = /^(udp|tcp|tls|quic)([46])/.exec(id) ?? [];
      return { transport, family: version === '6' ? 'ipv6' : 'ipv4' };
    },
  },
  {
    name: 'dns_query_types_total',
    help: 'Queries by the type that they ask for; rare types are counted as other.',
    zeros: each('type', [...TYPES, 'other']),
    section: 'mod-stats',
    items: ['query-type'],
    label: (_, id) => ({ type: limitToKnown(TYPES, id) }),
  },
  {
    name: 'dns_answers_total',
    help: 'Answers by response code; rare codes are counted as other.',
    zeros: each('rcode', [...RCODES, 'other']),
    section: 'mod-stats',
    items: ['response-code'],
    label: (_, id) => ({ rcode: limitToKnown(RCODES, id) }),
  },
  {
    name: 'dns_nodata_total',
    help: 'Answers without records for a name that exists, by the type of the query.',
    zeros: each('type', NODATA),
    section: 'mod-stats',
    items: ['reply-nodata'],
    label: (_, id) => ({ type: limitToKnown(NODATA, id) }),
  },
  {
    name: 'dns_operations_total',
    help: 'Requests by kind: queries, NOTIFY, updates, transfers to secondaries (axfr, ixfr), and packets that cannot be read (invalid).',
    zeros: each('operation', OPERATIONS),
    section: 'mod-stats',
    items: ['server-operation'],
    label: (_, id) => ({ operation: limitToKnown(OPERATIONS, id) }),
  },
  {
    name: 'dns_rate_limited_total',
    help: 'Answers that exceeded the rate limit of their flow: truncated, so that the client repeats the query over TCP, or dropped.',
    zeros: each('result', Object.values(LIMITED)),
    section: 'mod-rrl',
    items: Object.keys(LIMITED),
    label: (item) => ({ result: LIMITED[item] ?? 'other' }),
  },
];

/** The samples of a family, one for each set of labels. */
export function collectSamples(family: Family, items: readonly KnotItem[]): Sample[] {
  const samples = new Map<string, Sample>();
  const add = (labels: Sample['labels'], value: number) => {
    const key = JSON.stringify(labels);
    samples.set(key, { labels, value: (samples.get(key)?.value ?? 0) + value });
  };
  for (const labels of family.zeros) add(labels, 0);
  for (const { section, item = '', id = '', data = '' } of items) {
    if (section !== family.section || !family.items.includes(item)) continue;
    const value = Number(data);
    if (Number.isFinite(value)) add(family.label(item, id), value);
  }
  return [...samples.values()];
}

/** The zones in the configuration of knotd; null if it did not say. */
export function zoneCount(items: readonly KnotItem[]): number | null {
  const countText = items.find(({ section, item }) => section === 'server' && item === 'zone-count')?.data;
  return countText === undefined ? null : Number(countText);
}

const ANSWERS = COUNTERS.find(({ name }) => name === 'dns_answers_total') as Family;

/** The answers since knotd started, by response code in upper case. */
export function answersByCode(items: readonly KnotItem[]): Map<string, number> {
  return new Map(collectSamples(ANSWERS, items).map(({ labels, value }) => [labels.rcode ?? 'other', value]));
}
