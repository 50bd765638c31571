// Changes that people make to objects while the operator works on them, for runs in which it fails at any step.

import type { Foreign } from '../../support/operator/audit.ts';
import { type Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';

export interface Scenario {
  /** After "while". */
  readonly title: string;
  /** The objects that exist and are reconciled before. */
  readonly arrange: (bench: Bench) => Foreign;
  /** The change that the operator then works on when it fails. */
  readonly act: (bench: Bench) => void;
  /** Titles of interludes that this one cannot have. */
  readonly without?: readonly string[];
}

/** The event at the moment of the failure. */
export interface Interlude {
  /** After "and". */
  readonly title: string;
  readonly act: (bench: Bench) => void;
}

const ZONE = 'default/example';
const WWW = 'default/www';
const TXT = 'default/txt';

const zone = (bench: Bench, spec: Record<string, unknown> = {}) =>
  bench.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'Example.org', defaultTtl: 300, ...spec });

const www = (bench: Bench, spec: Record<string, unknown>) =>
  bench.cluster.create(DNS_RECORD, { name: 'www' }, { zoneRef: { name: 'example' }, name: 'WWW', type: 'A', ...spec });

const txt = (bench: Bench) =>
  bench.cluster.create(
    DNS_RECORD,
    { name: 'txt' },
    { zoneRef: { name: 'example' }, name: '@', type: 'TXT', content: 'v=spf1 -all', ttl: 60 },
  );

const addresses = (...numbers: number[]) => ({
  content: undefined,
  values: numbers.map((number) => ({ content: `192.0.2.${number}` })),
});

const nothing = (): Foreign => ({});

function withEverything(bench: Bench): Foreign {
  zone(bench);
  www(bench, addresses(1, 2, 3));
  txt(bench);
  return { zoneIds: [bench.service.seedZone('other.example')] };
}

function removeAll(bench: Bench): void {
  for (const key of [WWW, TXT]) if (bench.cluster.record(key)) bench.cluster.remove(DNS_RECORD, key);
  if (bench.cluster.zone(ZONE)) bench.cluster.remove(DNS_ZONE, ZONE);
}

const findZoneId = (bench: Bench) =>
  [...bench.service.zones.values()].find(({ zone: { zoneName } }) => zoneName === 'example.org')?.zone.id;

const EDITED = 'the record is edited';
const DELETED = 'the record is deleted';
const ZONE_EDITED = 'the zone is edited';
const ALL_DELETED = 'everything is deleted';
const ROBBED = 'another client deletes the values at the service';
const ZONE_ROBBED = 'another client deletes the zone at the service';

export const BETWEEN: readonly Interlude[] = [
  { title: 'nothing else happens', act: () => undefined },
  {
    title: EDITED,
    act: (bench) => {
      if (bench.cluster.record(WWW)) bench.cluster.edit(DNS_RECORD, WWW, { ...addresses(3, 7, 8), ttl: 120 });
    },
  },
  {
    title: DELETED,
    act: (bench) => {
      if (bench.cluster.record(WWW)) bench.cluster.remove(DNS_RECORD, WWW);
    },
  },
  {
    title: ZONE_EDITED,
    act: (bench) => {
      if (bench.cluster.zone(ZONE)) bench.cluster.edit(DNS_ZONE, ZONE, { defaultTtl: 900, parked: true });
    },
  },
  { title: ALL_DELETED, act: removeAll },
  {
    title: ROBBED,
    act: ({ service }) => {
      for (const { zone: each, records } of service.zones.values())
        for (const id of records.keys()) if (each.zoneName === 'example.org') service.tamper(each.id, id, null);
    },
  },
  {
    title: ZONE_ROBBED,
    act: (bench) => {
      const id = findZoneId(bench);
      if (id !== undefined) bench.service.dropZone(id);
    },
  },
];

export const SCENARIOS: readonly Scenario[] = [
  {
    title: 'a zone and its records are created',
    arrange: nothing,
    act: (bench) => {
      zone(bench);
      www(bench, addresses(1, 2));
      txt(bench);
    },
  },
  {
    title: 'a parked zone without a TTL is created, its records first',
    arrange: nothing,
    act: (bench) => {
      www(bench, { content: '192.0.2.1' });
      zone(bench, { defaultTtl: undefined, parked: true });
    },
  },
  {
    title: 'values are exchanged and added',
    arrange: withEverything,
    act: ({ cluster }) => cluster.edit(DNS_RECORD, WWW, { ...addresses(2, 4, 5, 6), ttl: 60 }),
  },
  {
    title: 'values are removed',
    arrange: withEverything,
    act: ({ cluster }) => cluster.edit(DNS_RECORD, WWW, addresses(2)),
  },
  {
    title: 'values are exchanged under driftPolicy Report',
    arrange: (bench) => {
      zone(bench);
      www(bench, { ...addresses(1, 2, 3), driftPolicy: 'Report' });
      return {};
    },
    act: ({ cluster }) => cluster.edit(DNS_RECORD, WWW, addresses(2, 5)),
    // The deleted values are reported and not created again: that is the policy.
    without: [ROBBED],
  },
  { title: 'a record is deleted', arrange: withEverything, act: ({ cluster }) => cluster.remove(DNS_RECORD, WWW) },
  { title: 'everything is deleted', arrange: withEverything, act: removeAll },
  {
    title: 'the zone is parked and gets another TTL',
    arrange: withEverything,
    act: ({ cluster }) => cluster.edit(DNS_ZONE, ZONE, { parked: true, defaultTtl: 600 }),
  },
  {
    title: 'drift is repaired',
    arrange: withEverything,
    act: (bench) => {
      const [first = '', second = ''] = bench.service.owners.idsOf(`k8s:cluster-1/${WWW}`);
      const id = findZoneId(bench) as string;
      bench.service.tamper(id, first, null);
      bench.service.tamper(id, second, { content: '192.0.2.99', ttl: 30 });
    },
  },
  {
    title: 'the zone is created again that another client deleted at the service',
    arrange: withEverything,
    act: (bench) => bench.service.dropZone(findZoneId(bench) as string),
  },
  {
    title: 'a value is adopted next to one of another owner',
    arrange: (bench) => {
      zone(bench);
      return {};
    },
    act: (bench) => {
      const id = findZoneId(bench) as string;
      bench.service.seed(id, { name: 'www', content: '192.0.2.1' });
      www(bench, { ...addresses(1, 2), adopt: 'IfIdentical' });
    },
    // The zone may not be deleted with records that no object owns: see the tests of the deletion of a zone.
    without: [ALL_DELETED, DELETED, EDITED],
  },
];
