// The sentences for records that an owner keeps: the service does not change them behind its back, so the sentence says
// what to change in Kubernetes or at another owner. Pure.
import { DNS_RECORD_OWNER, ownerName } from '#base/owner-names.ts';
import type { ParsedRecord } from '#dns/record.ts';

/**
 * A value of the acme-dns or httpreq protocol, or the DNSRecord that the solver makes for a challenge of cert-manager.
 */
const CHALLENGE = /^(acme:|k8s:[^/]+\/[^/]+\/acme-[0-9a-f]{32}$)/;
/** The values, and the characters of each, that a sentence shows. */
const SHOWN = { values: 5, characters: 100 };

interface OwnedRecords {
  owner: string;
  /** Whether it owns some of the records now, or did so when it changed or removed them. */
  isHeld: boolean;
  /** The records as they should be. */
  values: readonly Pick<ParsedRecord, 'content' | 'priority'>[];
  /** The TTL in seconds that they should have, if only the TTL differs. */
  ttl?: number | null;
}

export function ownedMessage({ owner, isHeld, values, ttl = null }: OwnedRecords): string {
  const object = ownerName(owner);
  const now = `${object} ${isHeld ? 'owns' : 'changed'} these records.`;
  const valuesText = valuesIn(values);
  const wantedText = valuesText === null || ttl === null ? valuesText : `${valuesText} with the TTL ${ttl}`;
  if (!DNS_RECORD_OWNER.test(owner)) {
    const to = wantedText === null ? '' : `, to ${wantedText}`;
    return `${now} Change them there${to}, or release them first with "zonestead owners release".`;
  }
  if (!isHeld)
    return `${now} ${wantedText === null ? 'Change it in Kubernetes.' : `Apply it again in Kubernetes with ${wantedText}.`}`;
  return `${now} ${wantedText === null ? `Delete ${object}.` : `Set its values in Kubernetes to ${wantedText}.`}`;
}

/** Whether the records of an owner are the values of an ACME challenge, which are worth nothing after it. */
export function isChallengeOwner(owner: string, type: string): boolean {
  return type === 'TXT' && CHALLENGE.test(owner);
}

/** Null: no values. */
function valuesIn(wantedValues: OwnedRecords['values']): string | null {
  if (wantedValues.length === 0) return null;
  const shownTexts = wantedValues.slice(0, SHOWN.values).map(({ content, priority }) => {
    const text = content.length > SHOWN.characters ? `${content.slice(0, SHOWN.characters)}…` : content;
    return priority === null ? text : `${priority} ${text}`;
  });
  const more = wantedValues.length - shownTexts.length;
  return `${shownTexts.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
