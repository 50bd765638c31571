// Copies of JSON-like values for the memory cluster and the memory service. structuredClone took a third of the time of
// the crash runs: it serializes, and it copies again what is frozen and cannot change.

/** A copy that shares nothing that can change with the value. */
export function copyDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || isDeepFrozen(value)) return value;
  if (Array.isArray(value)) return value.map(copyDeep) as T;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) copy[key] = copyDeep((value as Record<string, unknown>)[key]);
  return copy as T;
}

const frozen = new WeakSet<object>();
const isDeepFrozen = (value: object) => frozen.has(value);

/** The same, but the copy cannot be changed: a consumer that tries gets a TypeError. */
export function copyFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || isDeepFrozen(value)) return value;
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {};
  for (const key of Object.keys(value)) {
    (copy as Record<string, unknown>)[key] = copyFrozen((value as Record<string, unknown>)[key]);
  }
  frozen.add(Object.freeze(copy));
  return copy as T;
}
