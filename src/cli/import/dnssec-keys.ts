// `zonestead import --dnssec-key`: which zone gets which key, and whether it can move in with it.
import { getZoneKeys } from '#contract/operations/zone-keys.ts';
import { algorithmName } from '#dns/dnssec/algorithms.ts';
import { listOtherKeys, ONE_KEY } from '#dns/dnssec/imported-key.ts';
import { dnskeyText, keyTag, type SigningKey } from '#dns/dnssec/signing-key.ts';
import { parseZoneName } from '#dns/names/name.ts';
import type { Session } from '../rest/session.ts';
import { type DnssecKeyFile, judgeDnssecKey, readDnssecKey } from '../zones/dnssec-key.ts';
import type { Remark } from './read.ts';
import type { SourceZone } from './source.ts';

export interface DnssecKeyOptions {
  /** Paths of files, each with the key of one zone. */
  dnssecKey?: readonly string[];
  zone?: string;
}

/** The key of a zone. Secret. */
export type ZoneKeyFile = DnssecKeyFile & { zone: string };

/** @throws Error if a file cannot be read, its zone is not known, or a zone has two keys */
export async function readDnssecKeys(
  { dnssecKey = [], zone: named }: DnssecKeyOptions,
  signal: AbortSignal,
): Promise<ZoneKeyFile[]> {
  const files: ZoneKeyFile[] = [];
  const parsed = named === undefined ? null : parseZoneName(named);
  const namedZone = parsed?.ok ? parsed.value : named;
  for (const path of dnssecKey) {
    const file = await readDnssecKey(path, signal);
    const zone = file.zone ?? namedZone;
    if (zone === undefined)
      throw new Error(`${path}: the file does not say of which zone it is; give --zone, or the K….key file next to it`);
    const earlier = files.find((each) => each.zone === zone);
    if (earlier !== undefined)
      throw new Error(`${path}: ${earlier.path} is a key of ${zone} too, and a zone gets one key. ${ONE_KEY}`);
    files.push({ ...file, zone });
  }
  return files;
}

/**
 * @param id that of the zone at the service; undefined: the import creates it
 * @returns a note for people about the key
 * @throws Error with the reason why the zone cannot move in with the key
 */
export async function checkDnssecKey(
  session: Session,
  file: ZoneKeyFile,
  source: SourceZone,
  id: string | undefined,
): Promise<Remark> {
  const key = judgeDnssecKey(source.zone, file);
  const [other] = listOtherKeys(source.text, key);
  if (other !== undefined) {
    throw new Error(
      `${file.path}: the zone has another DNSKEY, with the flags ${other.flags} and the tag ${other.tag}. While resolvers have answers that this key signed, they would refuse them, because the zone has only the imported key here. ${ONE_KEY}.`,
    );
  }
  if (id !== undefined) await mustHaveKey(session, file, id, key);
  const name = algorithmName(key.algorithm);
  const message = `The zone has the DNSSEC key ${keyTag(key)} (${name}) of its present name servers, so DS records of this key stay valid.`;
  return { place: 'key', message };
}

/** A repeated import finds the key that the first one brought. */
async function mustHaveKey(
  { client, signal }: Session,
  { path, zone }: ZoneKeyFile,
  id: string,
  key: SigningKey,
): Promise<void> {
  const { keys } = await client.call(getZoneKeys, { params: { id } }, { signal });
  if (keys.some(({ dnskey }) => dnskey === dnskeyText(key))) return;
  throw new Error(
    `${path}: the zone ${zone} exists with another key, and a key is imported when a zone is created. Omit --dnssec-key, or delete the zone first ("zonestead zones delete ${zone}").`,
  );
}
