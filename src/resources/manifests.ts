// A zone at the service → the DNSZone and the DNSRecords that take it over without a change in DNS. Pure.

import { compare } from '#base/text-order.ts';
import { DEFAULT_DENIAL, type Denial } from '#dns/dnssec/denial.ts';
import { fqdn } from '#dns/names/name.ts';
import { findSpecialCharacter } from '#dns/plain-text.ts';
import { parseRdata } from '#dns/types/index.ts';
import { API_VERSION } from './common.ts';
import { MAX_LISTED_CONTENT, MAX_VALUES, recordSpec } from './dnsrecord.ts';
import { type CheckDefinitions, checkField, FOLLOWS_SERVICE } from './manifest-check.ts';
import { recordObjectName, zoneObjectName } from './manifest-names.ts';
import { COMMENT } from './names.ts';

interface ZoneFacts {
  readonly zoneName: string;
  readonly state: string;
  readonly defaultTtl: number;
  /** (Default: NSEC.) */
  readonly denial?: Denial;
  readonly comment?: string | undefined;
}

export interface RecordFacts {
  readonly name: string;
  readonly type: string;
  readonly content: string;
  /** The effective TTL in seconds. */
  readonly ttl: number;
  /** Null on every type but MX. */
  readonly priority: number | null;
  readonly comment?: string | undefined;
  /** The name of its check. */
  readonly check?: string | undefined;
  readonly tier?: number | undefined;
  readonly weight?: number | undefined;
  readonly whenAllFail?: string | undefined;
  readonly reverse?: boolean | undefined;
}

export interface Manifest {
  apiVersion: string;
  kind: 'DNSZone' | 'DNSRecord';
  metadata: { name: string; namespace?: string; annotations?: Record<string, string> };
  spec: Record<string, unknown>;
}

/** A record that a DNSRecord cannot express. */
interface LeftOut {
  name: string;
  type: string;
  /** The reason, with the field and the limit. */
  why: string;
}

export interface Manifests {
  /** The zone, then the records by name and type. */
  objects: Manifest[];
  leftOut: LeftOut[];
}

/**
 * One DNSRecord an RRset, and several where one cannot hold it as it is: each record keeps its own TTL and check at the
 * service, an object has one for all its values.
 * @param definitions the checks of the owner of the zone, by name
 */
export function planManifests(
  zone: ZoneFacts,
  records: readonly RecordFacts[],
  namespace?: string,
  definitions: CheckDefinitions = new Map(),
): Manifests {
  const zoneName = zoneObjectName(zone.zoneName);
  const metadataOf = (name: string, comment: string | undefined) => ({
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(comment === undefined ? {} : { annotations: { [COMMENT]: comment } }),
  });
  const objects: Manifest[] = [
    {
      apiVersion: API_VERSION,
      kind: 'DNSZone',
      metadata: metadataOf(zoneName, zone.comment),
      spec: {
        zoneName: zone.zoneName,
        defaultTtl: zone.defaultTtl,
        ...((zone.denial ?? DEFAULT_DENIAL) === DEFAULT_DENIAL ? {} : { denial: zone.denial }),
        ...(zone.state === 'parked' ? { parked: true } : {}),
        adopt: 'IfIdentical',
      },
    },
  ];
  const leftOut: LeftOut[] = [];
  for (const rrset of rrsetsOf(records.map((record) => ({ ...record, content: contentOf(record) })))) {
    for (const [index, part] of partsOf(rrset).entries()) {
      const [{ name, type, check }] = part;
      const healthCheck = check === undefined ? undefined : checkField(check, definitions);
      if (healthCheck === null) {
        leftOut.push({ name, type, why: FOLLOWS_SERVICE });
        continue;
      }
      const spec = specOf(zoneName, part, zone.defaultTtl, healthCheck);
      // This is the schema of the API server. One object that it rejects would fail the whole `kubectl apply`.
      const verdict = recordSpec.safeParse(spec);
      if (verdict.success) {
        const objectName = recordObjectName(fqdn(name, zone.zoneName), type, index + 1);
        const metadata = metadataOf(objectName, commentOf(part));
        objects.push({ apiVersion: API_VERSION, kind: 'DNSRecord', metadata, spec });
      } else {
        const [issue] = verdict.error.issues;
        leftOut.push({ name, type, why: `spec.${issue?.path.join('.')}: ${issue?.message}` });
      }
    }
  }
  return { objects, leftOut };
}

type Some<T> = [T, ...T[]];

/** The RRsets by name, with the apex first, and then by type. */
function rrsetsOf(records: readonly RecordFacts[]): Some<RecordFacts>[] {
  const inOrder = [...records].sort(
    (a, b) =>
      compare(a.name === '@' ? '' : a.name, b.name === '@' ? '' : b.name) ||
      compare(a.type, b.type) ||
      a.ttl - b.ttl ||
      (a.priority ?? 0) - (b.priority ?? 0) ||
      compare(a.content, b.content),
  );
  const rrsets = Map.groupBy(inOrder, ({ name, type }) => `${name} ${type}`);
  return [...rrsets.values()] as Some<RecordFacts>[];
}

function partsOf(rrset: Some<RecordFacts>): Some<RecordFacts>[] {
  const parts: Some<RecordFacts>[] = [];
  const ofObject = ({ ttl, check, whenAllFail, reverse }: RecordFacts) =>
    JSON.stringify([ttl, check, whenAllFail, reverse]);
  for (const same of Map.groupBy(rrset, ofObject).values()) {
    const alone = same.filter(({ content }) => content.length > MAX_LISTED_CONTENT);
    const listed = same.filter(({ content }) => content.length <= MAX_LISTED_CONTENT);
    for (let start = 0; start < listed.length; start += MAX_VALUES) {
      parts.push(listed.slice(start, start + MAX_VALUES) as Some<RecordFacts>);
    }
    parts.push(...alone.map((record): Some<RecordFacts> => [record]));
  }
  return parts;
}

/** An object has one comment for all its records. Without one, each record keeps its own. */
function commentOf([{ comment }, ...more]: Some<RecordFacts>): string | undefined {
  return more.every((record) => record.comment === comment) ? comment : undefined;
}

function specOf(
  zone: string,
  part: Some<RecordFacts>,
  defaultTtl: number,
  healthCheck: Record<string, unknown> | undefined,
): Record<string, unknown> {
  const [{ name, type, ttl, tier: firstTier, weight: firstWeight, whenAllFail, reverse }, ...more] = part;
  const entryOf = ({ content, priority, tier, weight }: RecordFacts) => ({
    content,
    ...(priority === null ? {} : { priority }),
    ...(tier === undefined ? {} : { tier }),
    ...(weight === undefined ? {} : { weight }),
  });
  // Only a list of values has tiers and weights.
  const isAlone = more.length === 0 && firstTier === undefined && firstWeight === undefined;
  return {
    zoneRef: { name: zone },
    name,
    type,
    // The service reports the effective TTL only, so a TTL that equals the default counts as the default.
    ...(ttl === defaultTtl ? {} : { ttl }),
    ...(isAlone ? entryOf(part[0]) : { values: part.map(entryOf) }),
    ...(healthCheck === undefined ? {} : { healthCheck }),
    ...(whenAllFail === undefined ? {} : { whenAllFail }),
    ...(reverse === true ? { reverse } : {}),
    adopt: 'IfIdentical',
  };
}

/** The service keeps a text as it was sent, and accepted any characters once. Escapes have the same value. */
function contentOf({ type, content }: RecordFacts): string {
  if (type !== 'TXT' || findSpecialCharacter(content.replaceAll('\t', ' ')) === null) return content;
  const parsed = parseRdata(type, content, null);
  return parsed.ok ? parsed.value.rdata : content;
}
