// The preview of a record: the line that the name servers will answer, or the first sentence about a mistake.
import { fqdn } from '#dns/names/name.ts';
import { parseRecord } from '#dns/record.ts';
import type { ZoneView } from '#service/zones/view.ts';
import type { Typed } from '../shell/forms.ts';
import { CLIP, clipText } from '../shell/shown.ts';
import { typedType } from '../shell/types.ts';
import { readName, readPreviewInput } from './record-input.ts';

export interface RecordPreview {
  /** Null if the record is not complete or not right. */
  line: string | null;
  /** A sentence about the line, or about the mistake. Null without one. */
  note: string | null;
  /** A type that fits better. Absent without one. */
  instead?: 'ALIAS';
}

/** Rules about other records of the zone are not checked. */
export function previewRecord(typed: Typed, zone: Pick<ZoneView, 'zoneName' | 'defaultTtl'>): RecordPreview {
  const type = typedType(typed);
  const input = readPreviewInput(typed, readName(typed, type), type);
  const isEmpty = input.name === '' || input.content.replace(/["\s]/g, '') === '';
  // The target does not matter here, so this is said first.
  if (type === 'CNAME' && isApex(input.name, zone.zoneName)) {
    const note = 'The zone itself cannot be a CNAME, because it has SOA and NS records (RFC 1034 section 3.6.2).';
    return { line: null, note, instead: 'ALIAS' };
  }
  if (isEmpty) return { line: null, note: 'Fill in the fields to see the record as it will be served.' };
  const parsed = parseRecord(input, zone.zoneName);
  if (!parsed.ok) return { line: null, note: parsed.problem.message };
  const { name, ttl, rdata } = parsed.value;
  const owner = `${fqdn(name, zone.zoneName)}.`;
  if (type === 'ALIAS') {
    return { line: null, note: `${owner} is served with the A and AAAA records of ${clipText(rdata)}` };
  }
  return { line: `${owner} ${ttl ?? zone.defaultTtl} IN ${type} ${clipText(rdata, 4 * CLIP)}`, note: null };
}

function isApex(name: string, zoneName: string): boolean {
  return name === '@' || fqdn('@', zoneName) === name.toLowerCase().replace(/\.$/, '');
}
