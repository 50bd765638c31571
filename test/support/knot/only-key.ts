// The key set of a zone with one key, as nearly all zones have it.
import type { EngineKey } from '#nameserver/engine.ts';

/** @param privateKey in PEM (PKCS#8) */
export function onlyKey(privateKey: string): EngineKey[] {
  return [{ privateKey, state: 'active' }];
}
