// DNSZone and DNSRecord objects of people's files → the records that they want at the service. Pure.
import { DENIALS, type Denial } from '#dns/dnssec/denial.ts';
import { type ParsedRecord, parseRecord } from '#dns/record.ts';
import { recordSpec } from '#resources/dnsrecord.ts';
import { listRecordValues } from '#resources/summary.ts';
import { readYaml } from '../yaml-input.ts';

export interface WantedZone {
  zoneName: string;
  /** Absent without a DNSZone in the file. */
  zone?: { defaultTtl?: number; denial?: Denial; parked: boolean };
  records: ParsedRecord[];
}

interface Manifest {
  kind?: unknown;
  metadata?: { name?: string; namespace?: string };
  spec?: Record<string, unknown> & { zoneRef?: { name?: string; namespace?: string } };
  items?: unknown[];
}

/**
 * The zones and records of the file. Other objects are ignored.
 * @param given the zone of records whose DNSZone is not in the file
 * @throws Error that names the object and the field
 */
export function readManifests(text: string, given: string | undefined): WantedZone[] {
  const objects = documentsOf(text).flatMap((each) => (each.kind === 'List' ? (each.items as Manifest[]) : [each]));
  const wanted = new Map<string, WantedZone>();
  const names = new Map<string, string>();
  for (const { kind, metadata, spec } of objects) {
    if (kind !== 'DNSZone') continue;
    const zoneName = String(spec?.zoneName ?? '')
      .toLowerCase()
      .replace(/\.$/, '');
    if (zoneName === '') throw new Error(`DNSZone ${metadata?.name}: spec.zoneName is missing`);
    names.set(keyOf(metadata?.namespace, metadata?.name), zoneName);
    const { defaultTtl, parked } = spec ?? {};
    const denial = DENIALS.find((each) => each === spec?.denial);
    const zone = {
      parked: parked === true,
      ...(typeof defaultTtl === 'number' ? { defaultTtl } : {}),
      ...(denial === undefined ? {} : { denial }),
    };
    wanted.set(zoneName, { zoneName, zone, records: [] });
  }
  for (const { kind, metadata, spec } of objects) {
    if (kind !== 'DNSRecord') continue;
    const { name: ref, namespace = metadata?.namespace } = spec?.zoneRef ?? {};
    const zoneName = names.get(keyOf(namespace, ref)) ?? given;
    if (zoneName === undefined) {
      throw new Error(
        `DNSRecord ${metadata?.name}: the file has no DNSZone ${ref}; give the name of its zone with --zone`,
      );
    }
    const zone = wanted.get(zoneName) ?? { zoneName, records: [] };
    wanted.set(zoneName, zone);
    zone.records.push(...recordsOf(metadata?.name ?? '', spec, zoneName));
  }
  if (wanted.size === 0) throw new Error('the file has no DNSZone and no DNSRecord');
  return [...wanted.values()];
}

function recordsOf(objectName: string, spec: unknown, zoneName: string): ParsedRecord[] {
  const parsed = recordSpec.safeParse(spec);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`DNSRecord ${objectName}: spec.${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { name, type, ttl } = parsed.data;
  return listRecordValues(parsed.data).map(({ content, priority }) => {
    const verdict = parseRecord({ name, type, content, priority, ttl }, zoneName);
    if (verdict.ok) return verdict.value;
    throw new Error(`DNSRecord ${objectName}: spec.${verdict.problem.field}: ${verdict.problem.message}`);
  });
}

function documentsOf(text: string): Manifest[] {
  return readYaml(text, '1.1').documents.flatMap((document) => {
    const value = document.toJS() as Manifest | null;
    return value === null || typeof value !== 'object' ? [] : [value];
  });
}

function keyOf(namespace = '', name = ''): string {
  return `${namespace}/${name}`;
}
