// The operations that the node needs of its name server. The name server of an installation is Knot DNS.
import type { ServedSet } from '#dns/served.ts';

export { isKeyLost, ZoneLoading } from '../knot/errors.ts';

export interface EngineZone {
  readonly name: string;
  /** The serial that is served; null while the zone has no contents. */
  readonly serial: number | null;
}

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
  /** These names have exactly the RRsets of `sets` afterwards; names that are not given stay as they are. */
  readonly names: readonly string[];
  readonly sets: readonly ServedSet[];
  /** (Default: the SOA stays, apart from its serial.) */
  readonly soa?: ZoneSoa;
  /** The engine serves this serial, or a later one if its own is not earlier. */
  readonly serial: number;
  /** All RRsets that the zone has afterwards, by name: with them, an engine can make a large change at the same time as other work. */
  readonly whole?: ReadonlyMap<string, readonly ServedSet[]>;
  /** The slot for the serial (dns/secondaries/serial.ts). (Default: any serial.) */
  readonly slot?: { readonly number: number; readonly isSource: boolean };
  /** The zone gets a later serial than this, also if nothing else changes. (Default: a change of the contents decides.) */
  readonly after?: number;
}

export interface AddedZone {
  readonly name: string;
  readonly privateKey: string;
  /** The engine may have lost the key, although the zone is signed with it. (Default: it has not.) */
  readonly isKeyLost?: boolean;
}

export interface ZoneEngine {
  /** For instance `Knot DNS 3.2.6`. */
  version(): Promise<string>;
  zones(signal: AbortSignal): Promise<readonly EngineZone[]>;
  /** Adds zones with their keys. A zone that is there keeps its contents, and gets the key if it has another one. */
  add(zones: readonly AddedZone[], signal: AbortSignal): Promise<void>;
  /** Removes zones with everything that belongs to them. A zone that is not there is no error. */
  remove(names: readonly string[], signal: AbortSignal): Promise<void>;
  /** Whether the contents of a zone that is there are known. @throws ZoneLoading while they are not */
  check(name: string, signal: AbortSignal): Promise<void>;
  /** The RRsets of a zone in pages, without SOA and DNSSEC records, in canonical form. @throws ZoneLoading */
  read(name: string, signal: AbortSignal): AsyncIterable<readonly ServedSet[]>;
  /** One commit. @returns the serial that is served @throws when nothing was changed; ZoneLoading */
  change(name: string, change: ZoneChange, signal: AbortSignal): Promise<number>;
}
