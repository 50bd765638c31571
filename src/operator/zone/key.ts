// The sentence about the DNSSEC key that a zone got when it was created. Pure.
import type { ZoneStatus } from '#resources/dnszone.ts';

/** For an Event and a condition: the tag of the key, and whether the zone kept it or got a new one. */
export function keySentence({ keyTag, kept, formerKeyTag }: NonNullable<ZoneStatus['key']>): string {
  if (kept) {
    return `It has the DNSSEC key ${keyTag} of the deleted zone of this name, so a DS record for this key stays valid.`;
  }
  if (formerKeyTag === undefined) return `It has the new DNSSEC key ${keyTag}.`;
  return `It has the new DNSSEC key ${keyTag} instead of the key ${formerKeyTag} of the deleted zone of this name. Replace DS records for ${formerKeyTag} at the parent zone.`;
}
