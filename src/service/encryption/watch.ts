// The metric of the encryption of private keys, and log lines if some are in clear or cannot be read.
import type { Keyring } from '#base/keyring.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { judgeStoredKeys, type StoredKeys } from './stored-keys.ts';

/** A look reads the private keys of all zones. */
const LOOK_EVERY_MS = 5 * 60_000;
const KINDS = ['current', 'former', 'clear', 'missing'] as const;

interface Parts {
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly keyring: Keyring;
  readonly now: () => Date;
}

/** Looks once now, and then with the scrapes, each 5 min at most. @param read as countStoredKeys */
export function watchEncryption(
  { metrics, log, keyring, now }: Parts,
  read: () => Promise<readonly { name: string | null; count: number }[]>,
): void {
  let seen: { at: number; keys: StoredKeys | null } = { at: Number.NEGATIVE_INFINITY, keys: null };
  const look = async (): Promise<StoredKeys | null> => {
    const at = now().getTime();
    if (at - seen.at < LOOK_EVERY_MS) return seen.keys;
    seen = { at, keys: seen.keys };
    const keys = await read().then(
      (counts) => judgeStoredKeys(counts, keyring),
      () => null,
    );
    if (keys !== null) {
      logProblems(log, keyring, keys, seen.keys);
      seen = { at, keys };
    }
    return seen.keys;
  };
  metrics.gauge({
    name: 'stored_private_keys',
    help: 'Private keys of zones in the database, by their encryption: with the current key, a former key, a missing key, or in clear.',
    labels: ['encryption'],
    collect: async (gauge) => {
      const keys = await look();
      gauge.reset();
      if (keys !== null) for (const kind of KINDS) gauge.set({ encryption: kind }, keys[kind]);
    },
  });
  void look();
}

function logProblems(log: Logger, keyring: Keyring, keys: StoredKeys, earlier: StoredKeys | null): void {
  const { missing, missingNames, clear } = keys;
  if (missing > 0 && missingNames.join() !== earlier?.missingNames.join())
    log.warn(
      { keys: missing, names: missingNames },
      'private keys of zones are encrypted with keys that ZONESTEAD_ENCRYPTION_KEYS lacks: new name servers cannot get these zones',
    );
  if (clear > 0 && keyring.currentName !== null && earlier === null)
    log.warn({ keys: clear }, 'private keys of zones are in clear; encrypt them with "zonestead admin encrypt-keys"');
}
