// The operations that a node needs of its name server, with their data. The name server of an installation is Knot DNS
// (knot/zones.ts); unit tests use one in memory.
import type { Denial } from '#dns/dnssec/denial.ts';
import type { KeyState } from '#dns/dnssec/key-states.ts';
import type { ServedSet } from '#dns/served.ts';

export interface EngineZone {
  readonly name: string;
  /** The serial that is served; null while the zone has no contents, or is still being loaded. */
  readonly serial: number | null;
}

/** Times in seconds. Names are absolute. */
export interface ZoneSoa {
  readonly mname: string;
  readonly rname: string;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimum: number;
  readonly ttl: number;
}

export interface ZoneChange {
  /**
   * Relative to the zone. These names have exactly the RRsets of `sets` afterwards; names that are not given stay as
   * they are.
   */
  readonly names: readonly string[];
  readonly sets: readonly ServedSet[];
  /** The SOA without its serial. Required for the first contents of a zone. Absent: the SOA stays. */
  readonly soa?: ZoneSoa;
  /** The serial of the api. The engine serves it, or a later one if its own is not earlier. */
  readonly serial: number;
  /**
   * All RRsets that the zone has afterwards, by name: with them, an engine can make a large change at the same time as
   * other work.
   */
  readonly whole?: ReadonlyMap<string, readonly ServedSet[]>;
  /** The slot for the serial (dns/secondaries/serial.ts). Absent: any serial. */
  readonly slot?: { readonly number: number; readonly isSource: boolean };
  /**
   * The zone gets a later serial than this, also if nothing else changes. (Default: a change of the contents decides.)
   */
  readonly after?: number;
}

/** A key of a zone. */
export interface EngineKey {
  /** PEM, PKCS#8. Secret. */
  readonly privateKey: string;
  readonly state: KeyState;
}

export interface AddedZone {
  readonly name: string;
  /** All keys of the zone: one at least. */
  readonly keys: readonly EngineKey[];
  /** (Default: NSEC.) */
  readonly denial?: Denial;
  /** The engine may have lost a key, although the zone is signed with it. */
  readonly isKeyLost?: boolean;
}

export interface ZoneDenial {
  readonly denial: Denial;
  /** The number of names in the zone: the engine needs room for as many records. */
  readonly names: number;
}

export type OnSignature = (expiresAt: number) => void;

export interface ZoneEngine {
  /**
   * For instance `Knot DNS 3.4.6`, or `Knot DNS 3.2.6 (without weights and NSEC3)` if it answers RRsets with weights
   * evenly, and zones that choose NSEC3 have NSEC.
   */
  version(signal?: AbortSignal): Promise<string>;
  /** The zones that were added; catalogs for secondaries are not among them. */
  zones(signal: AbortSignal): Promise<readonly EngineZone[]>;
  /**
   * Adds zones with their keys. A zone that is there keeps its contents and its denial, and gets exactly these keys.
   */
  add(zones: readonly AddedZone[], signal: AbortSignal): Promise<void>;
  /**
   * Waits until a zone, which has these keys, is signed with them, and deletes its other keys. A zone without contents
   * is not waited for.
   * @throws the reason of the signal
   */
  finishKeys(name: string, keys: readonly EngineKey[], signal: AbortSignal): Promise<void>;
  /** Removes zones with everything that belongs to them. A zone that is not there is not an error. */
  remove(names: readonly string[], signal: AbortSignal): Promise<void>;
  /**
   * Gives a zone that is there this denial, and signs it again if it has another one: one commit, and until then the
   * old contents are answered. An engine without NSEC3 remembers the choice, and the zone has NSEC.
   * @throws ZoneLoading, or the engine's own errors. The zone is valid then, with the old or the new denial
   */
  deny(name: string, denial: ZoneDenial, signal: AbortSignal): Promise<void>;
  /**
   * The private keys of a zone that is there, in PEM (PKCS#8). Secret.
   * @throws Error if the zone has no key
   */
  privateKeys(name: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Whether the contents of a zone that is there are known. @throws ZoneLoading while they are not */
  check(name: string, signal: AbortSignal): Promise<void>;
  /**
   * The RRsets of a zone in pages, without SOA and DNSSEC records, in canonical form. While the loop runs, it must wait
   * for no other work with the engine: with Knot 3.2 that would wait for the loop.
   * @param onSignature called with the end of each signature of the zone, in s since 1970
   * @throws ZoneLoading
   */
  read(name: string, signal: AbortSignal, onSignature?: OnSignature): AsyncIterable<readonly ServedSet[]>;
  /**
   * One commit; two, if a DNAME takes the place of names below it. Changes of one zone are made one after another.
   * @returns the serial that is served
   * @throws ZoneLoading, or the engine's own errors; nothing is changed then
   */
  change(name: string, change: ZoneChange, signal: AbortSignal): Promise<number>;
}

/** The engine still loads the zone from its journal: the contents are unknown, and a commit now would replace them. */
export class ZoneLoading extends Error {
  constructor(zone: string) {
    super(`the name server is loading ${zone}`);
    this.name = 'ZoneLoading';
  }
}
