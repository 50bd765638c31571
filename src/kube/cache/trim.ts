// Reduces objects with conditions in a cache. A cache holds every object of its kind, and most of their statuses
// contain the same conditions.
import type { Condition } from '../objects/conditions.ts';
import type { KubeObject } from '../objects/resource.ts';
import { trimObject } from './store.ts';

interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** The number of values that are shared. More values than this do not repeat. */
const MAX_SHARED = 2_000;

/**
 * A transform for the cache: drops the fields that nothing reads, and keeps equal lists of conditions, and equal texts
 * of conditions and metadata, once for all objects.
 */
export function createConditionTrim(): <T extends Conditioned>(object: T) => T {
  const text = createShared((value: string) => value);
  const slim = ({ type, status, reason, message, lastTransitionTime, ...rest }: Condition): Condition => ({
    ...rest,
    type: text(type),
    status,
    reason: text(reason),
    message: text(message),
    lastTransitionTime: text(lastTransitionTime),
  });
  // Records that become Ready in the same second have equal conditions.
  const list = createShared((json) => (JSON.parse(json) as Condition[]).map(slim));
  return (object) => {
    const trimmedObject = trimObject(object);
    const { apiVersion, metadata, status } = trimmedObject;
    const { namespace, creationTimestamp } = metadata;
    return {
      ...trimmedObject,
      ...(apiVersion && { apiVersion: text(apiVersion) }),
      metadata: {
        ...metadata,
        ...(namespace && { namespace: text(namespace) }),
        ...(creationTimestamp && { creationTimestamp: text(creationTimestamp) }),
      },
      ...(status && { status: { ...status, conditions: list(JSON.stringify(status.conditions ?? [])) } }),
    };
  };
}

/** Makes a value of a key once, for as long as not too many keys are known. */
function createShared<V>(make: (key: string) => V): (key: string) => V {
  let values = new Map<string, V>();
  return (key) => {
    const knownValue = values.get(key);
    if (knownValue !== undefined) return knownValue;
    if (values.size >= MAX_SHARED) values = new Map();
    const value = make(key);
    values.set(key, value);
    return value;
  };
}
