// The sentence for records that an owner keeps: the service does not change them behind its back, so the sentence says what to
// change in Kubernetes or at another owner. Pure.
import type { ParsedRecord } from '#dns/record.ts';

/** `k8s:<cluster>/<namespace>/<name>`, the owner of a DNSRecord. */
const DNS_RECORD = /^k8s:(?<cluster>[^/]+)\/(?<key>.+)$/;
/** The values, and the characters of each, that a sentence shows. */
const SHOWN = { values: 5, characters: 100 };

/**
 * @param held the owners of the records that would change
 * @param former the owners that made the changes
 * @param wanted the records as they should be
 */
export function ownedMessage(
  held: readonly string[],
  former: ReadonlySet<string>,
  wanted: readonly Pick<ParsedRecord, 'content' | 'priority'>[],
): string {
  const owner = held[0] ?? [...former][0] ?? '';
  const isHeld = held.length > 0;
  const values = valuesIn(wanted);
  const { cluster, key } = DNS_RECORD.exec(owner)?.groups ?? {};
  if (cluster === undefined) {
    const then = isHeld ? `owns these records` : `made this change`;
    return `${owner} ${then}. Change them there${values === null ? '' : `, to ${values}`}, or release them first with "zonestead owners release".`;
  }
  const object = `the DNSRecord ${key} in the cluster ${cluster}`;
  if (values === null)
    return isHeld
      ? `${object} owns these records. Delete ${object}.`
      : `${object} made this change. Change it in Kubernetes.`;
  return isHeld
    ? `${object} owns these records. Set its values in Kubernetes to ${values}.`
    : `${object} made this change. Apply it again in Kubernetes with ${values}.`;
}

/** Null: no values. */
function valuesIn(wanted: readonly Pick<ParsedRecord, 'content' | 'priority'>[]): string | null {
  if (wanted.length === 0) return null;
  const shown = wanted.slice(0, SHOWN.values).map(({ content, priority }) => {
    const text = content.length > SHOWN.characters ? `${content.slice(0, SHOWN.characters)}…` : content;
    return priority === null ? text : `${priority} ${text}`;
  });
  const more = wanted.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
