// The DNSSEC key with which a zone moves in, from files of other name servers.
import { readDnskeys } from '#dns/dnssec/dnskey-text.ts';
import { type KeyImport, readImportedKey } from '#dns/dnssec/imported-key.ts';
import type { SigningKey } from '#dns/dnssec/signing-key.ts';
import type { OptionDescription } from '../command.ts';
import { readInput } from '../input.ts';

export const DNSSEC_KEY_FLAG = '--dnssec-key <file>';
export const DNSSEC_KEY_OPTION: OptionDescription = {
  flags: DNSSEC_KEY_FLAG,
  describe: 'file with the DNSSEC key of the zone at its present name servers (BIND, PowerDNS, PEM)',
};

/** Secret. */
export interface DnssecKeyFile {
  path: string;
  /** The zone that the file names, canonical; null: it names none. */
  zone: string | null;
  key: KeyImport;
}

/** BIND has the two halves of a key in files whose names differ at their end. */
const [PRIVATE, PUBLIC] = ['.private', '.key'];

/**
 * Reads one half of a key, and the other one next to it.
 * @throws Error that names the path, if it cannot be read
 */
export async function readDnssecKey(path: string, signal: AbortSignal): Promise<DnssecKeyFile> {
  const text = await readInput(path, signal);
  if (path.endsWith(PRIVATE)) {
    const dnskey = await readInput(`${path.slice(0, -PRIVATE.length)}${PUBLIC}`, signal).catch(() => undefined);
    signal.throwIfAborted();
    return { path, zone: readZone(path, dnskey), key: { privateKey: text, dnskey } };
  }
  // A file of PEM often has the same ending.
  if (path.endsWith(PUBLIC) && readDnskeys(text).length > 0) {
    const privateKey = await readInput(`${path.slice(0, -PUBLIC.length)}${PRIVATE}`, signal);
    return { path, zone: readZone(path, text), key: { privateKey, dnskey: text } };
  }
  return { path, zone: null, key: { privateKey: text } };
}

/** The name of BIND's files is `K<zone>.+<algorithm>+<tag>`. */
function readZone(path: string, dnskey = ''): string | null {
  const [, name] = /(?:^|\/)K([^/]+)\.\+\d{3}\+\d{5}\.\w+$/.exec(path) ?? [];
  return readDnskeys(dnskey)[0]?.owner ?? name?.toLowerCase() ?? null;
}

/** @throws Error with the path and the sentence of the service */
export function judgeDnssecKey(zone: string, { path, key }: DnssecKeyFile): SigningKey {
  const read = readImportedKey(zone, key);
  if (!read.ok) throw new Error(`${path}: ${read.problem.message}`);
  return read.value;
}
