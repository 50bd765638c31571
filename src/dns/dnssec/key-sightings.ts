/** The answers of servers about the keys of a zone, and whether they prove the step of a roll. Pure. */
import { Buffer } from 'node:buffer';
import type { Awaited, RollKey } from './key-roll.ts';
import { dnskeyRdata, dsDigest, keyTag } from './signing-key.ts';

/** The answers of one name server of the zone. */
export interface KeySighting {
  /** Its name, with the address if it has several. */
  readonly server: string;
  /** Why there is no answer; null: there is one. */
  readonly problem: string | null;
  /** RDATA in hex. */
  readonly dnskeys: readonly string[];
  /** Seconds. */
  readonly dnskeyTtl: number;
  /** Those of the SOA record. */
  readonly signers: readonly { readonly algorithm: number; readonly keyTag: number }[];
}

/** The answers of one name server of the parent. */
export interface DsSighting {
  readonly server: string;
  readonly problem: string | null;
  /** RDATA in hex. */
  readonly ds: readonly string[];
  /** Seconds. */
  readonly dsTtl: number;
}

/** The answers of the servers of the parent; a text says why they could not be asked. */
export type ParentSightings = { readonly parent: string; readonly servers: readonly DsSighting[] } | string;

export interface Sightings {
  readonly servers: readonly KeySighting[];
  /** Null: the step does not depend on the parent. */
  readonly parent: ParentSightings | null;
}

/** The verdict on a step. */
export type Proof =
  /** All servers show it. @property holdS how long resolvers may keep earlier answers, in seconds */
  | { readonly isShown: true; readonly holdS: number }
  /**
   * @property waitsFor the end of a sentence, which names a server and the value
   * @property dsTtl the longest TTL of DS records so far, in seconds
   */
  | { readonly isShown: false; readonly waitsFor: string; readonly dsTtl: number };

/**
 * @param dataTtl the longest TTL of the data of the zone, in seconds
 * @param knownHold how long resolvers may keep earlier DS records, as an earlier look saw it, in seconds
 */
export function judgeStep(
  zone: string,
  awaited: Awaited,
  { servers, parent }: Sightings,
  { dataTtl, knownHold }: { dataTtl: number; knownHold: number },
): Proof {
  if (awaited.kind === 'ds-there' || awaited.kind === 'ds-gone') return judgeParent(zone, awaited, parent, knownHold);
  const wait = (waitsFor: string): Proof => ({ isShown: false, waitsFor, dsTtl: 0 });
  if (servers.length === 0) return wait('a name server of the zone: none has an address');
  for (const sighting of servers) {
    const { server, problem } = sighting;
    if (problem !== null) return wait(`${server}, which does not answer: ${problem}`);
    const missing = findMissing(awaited, sighting);
    if (missing !== null) return wait(`${server}, ${missing}`);
  }
  const dnskeyTtl = Math.max(...servers.map((sighting) => sighting.dnskeyTtl));
  const isOfKeys = awaited.kind === 'key-there' || awaited.kind === 'keys-gone';
  return { isShown: true, holdS: isOfKeys ? dnskeyTtl : Math.max(dataTtl, dnskeyTtl) };
}

/** @returns the missing sign, as the end of a sentence; null: the server shows the step */
function findMissing(
  awaited: Exclude<Awaited, { kind: 'ds-there' | 'ds-gone' }>,
  sighting: KeySighting,
): string | null {
  const { dnskeys, signers } = sighting;
  const isThere = (key: RollKey) => dnskeys.includes(Buffer.from(dnskeyRdata(key)).toString('hex'));
  const signs = (key: RollKey) =>
    signers.some(({ algorithm, keyTag: tag }) => algorithm === key.algorithm && tag === keyTag(key));
  switch (awaited.kind) {
    case 'signed-by':
      return signs(awaited.key) ? null : `without a signature of the key ${keyTag(awaited.key)} at its SOA record`;
    case 'key-there':
      return isThere(awaited.key) ? null : `without the key ${keyTag(awaited.key)} in its DNSKEY RRset`;
    case 'unsigned-by': {
      const key = awaited.keys.find(signs);
      return key === undefined ? null : `with a signature of the key ${keyTag(key)} at its SOA record`;
    }
    case 'keys-gone': {
      const key = awaited.keys.find(isThere);
      return key === undefined ? null : `with the key ${keyTag(key)} in its DNSKEY RRset`;
    }
  }
}

function judgeParent(
  zone: string,
  { kind, key }: Extract<Awaited, { kind: 'ds-there' | 'ds-gone' }>,
  parent: ParentSightings | null,
  knownHold: number,
): Proof {
  const wait = (waitsFor: string): Proof => ({ isShown: false, waitsFor, dsTtl: knownHold });
  if (parent === null || typeof parent === 'string') return wait(`the parent zone: ${parent ?? 'it was not asked'}`);
  const [above, { servers }] = [parent.parent || 'the root', parent];
  if (servers.length === 0) return wait(`a name server of ${above}: none has an address`);
  const dsTtl = Math.max(knownHold, ...servers.map((server) => server.dsTtl));
  const isSecure = servers.some(({ ds }) => ds.length > 0);
  const waitFor = (server: string, problem: string): Proof => ({
    isShown: false,
    waitsFor: `${server} of ${above}, ${problem}`,
    dsTtl,
  });
  for (const { server, problem, ds } of servers) {
    if (problem !== null) return waitFor(server, `which does not answer: ${problem}`);
    const isWrong = (rdata: string) => isDsOf(zone, key, rdata) === (kind === 'ds-gone');
    const wrongDs = ds.find(isWrong);
    if (wrongDs !== undefined) return waitFor(server, `which has the DS record of the key ${tagOfHex(wrongDs)}`);
    if (isSecure && ds.length === 0) return waitFor(server, 'which has no DS record of the zone');
  }
  return { isShown: true, holdS: dsTtl };
}

/** Whether a DS record is one of the key. A digest of an unknown type does not count. */
export function isDsOf(zone: string, key: RollKey, rdata: string): boolean {
  const octets = Buffer.from(rdata, 'hex');
  const [digestType = 0, digest] = [octets[3], octets.subarray(4).toString('hex')];
  if (octets[2] !== key.algorithm || tagOfHex(rdata) !== keyTag(key)) return false;
  return dsDigest(zone, dnskeyRdata(key), digestType) === digest;
}

function tagOfHex(rdata: string): number {
  return Number.parseInt(rdata.slice(0, 4), 16);
}
