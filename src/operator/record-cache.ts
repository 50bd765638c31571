// What the cache keeps of a DNSRecord: it holds every one there is, and most of their statuses say the same. Pure, but for
// remembering texts.
import type { Condition } from '../kube/conditions.ts';
import { trimObject } from '../kube/store.ts';
import { BIRTH } from './names.ts';
import type { DNSRecord } from './resources/dnsrecord.ts';

/** Texts that were met lately: reasons, messages, times. More than this are not the same ones again and again. */
const MOST_TEXTS = 2_000;

/** For the cache's transform: without what is never read again, equal texts of conditions kept once for all objects. */
export function createRecordTrim(): (object: DNSRecord) => DNSRecord {
  let texts = new Map<string, string>();
  const once = (text: string): string => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    if (texts.size >= MOST_TEXTS) texts = new Map();
    texts.set(text, text);
    return text;
  };
  const slim = ({ type, status, reason, message, lastTransitionTime, ...rest }: Condition): Condition => ({
    ...rest,
    type: once(type),
    status,
    reason: once(reason),
    message: once(message),
    lastTransitionTime: once(lastTransitionTime),
  });
  return (object) => {
    const trimmed = withoutBirth(trimObject(object));
    if (trimmed.status === undefined) return trimmed;
    return { ...trimmed, status: { ...trimmed.status, conditions: (trimmed.status.conditions ?? []).map(slim) } };
  };
}

/** Once the status has a ledger, nothing reads how it began. */
function withoutBirth(object: DNSRecord): DNSRecord {
  const { annotations } = object.metadata;
  if (object.status?.records === undefined || annotations?.[BIRTH] === undefined) return object;
  const { [BIRTH]: _read, ...others } = annotations;
  return { ...object, metadata: { ...object.metadata, annotations: others } };
}
