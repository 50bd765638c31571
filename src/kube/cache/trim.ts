// Reduces objects with conditions in a cache. A cache holds every object of its kind, and most of their statuses contain the same
// texts.
import type { Condition } from '../objects/conditions.ts';
import type { KubeObject } from '../objects/resource.ts';
import { trimObject } from './store.ts';

interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** The number of texts that are shared: reasons, messages and times. More texts than this do not repeat. */
const MAX_TEXTS = 2_000;

/** A transform for the cache: drops the fields that nothing reads, and keeps equal texts of conditions once for all objects. */
export function createConditionTrim(): <T extends Conditioned>(object: T) => T {
  let texts = new Map<string, string>();
  const once = (text: string): string => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    if (texts.size >= MAX_TEXTS) texts = new Map();
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
    const trimmed = trimObject(object);
    if (trimmed.status === undefined) return trimmed;
    return { ...trimmed, status: { ...trimmed.status, conditions: (trimmed.status.conditions ?? []).map(slim) } };
  };
}
