// Whether knotd signs a zone as the states of its keys say. It signs in the background after it has read its keys.
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { KeyState } from '#dns/dnssec/key-states.ts';
import { keyTag, readSigningKey } from '#dns/dnssec/signing-key.ts';
import type { EngineKey } from '../engine.ts';
import type { KnotControl } from './control.ts';
import { readSigners, type Signers } from './zone-list.ts';

const LOOK_MS = 100;
const UNPUBLISHED: ReadonlySet<KeyState> = new Set(['presigning', 'postsigning']);

/** Waits until the zone is signed with these keys, or has no contents that could be signed. */
export async function waitUntilSigned(
  control: KnotControl,
  clock: Clock,
  { zone, keys }: { zone: string; keys: readonly EngineKey[] },
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const signers = (await readSigners(control, [zone], signal)).get(zone);
    if (signers === undefined || signers.keys.length === 0) return;
    if (isSignedWith(signers, keys)) return;
    await sleep(clock, LOOK_MS, signal);
  }
}

/** @param signers those of the apex: all active keys sign its RRsets, and published ones at least the DNSKEY RRset */
export function isSignedWith({ keys: published, tags }: Signers, keys: readonly EngineKey[]): boolean {
  const wantedKeys = keys.map(({ privateKey, state }) => ({ state, key: readSigningKey(privateKey) }));
  const wantedPublic = wantedKeys.filter(({ state }) => !UNPUBLISHED.has(state)).map(({ key }) => key?.publicKey);
  const wantedTags = wantedKeys.filter(({ state }) => state !== 'retired').map(({ key }) => key && keyTag(key));
  return (
    published.length === wantedPublic.length &&
    published.every(({ publicKey }) => wantedPublic.includes(publicKey)) &&
    tags.every((tag) => wantedTags.includes(tag)) &&
    wantedTags.every((tag) => tag !== null && tags.includes(tag))
  );
}
