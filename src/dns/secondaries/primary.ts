// The description of our side, from which the configuration of a secondary is made. Types only.
import type { Endpoint, SecondaryKey } from './secondary.ts';

export interface PrimaryView {
  /** Our nodes, the usual source first. Each must be reachable over TCP for transfers, and over UDP. */
  readonly primaries: readonly Endpoint[];
  readonly key: SecondaryKey | null;
  /** The zones to configure one by one. Null: the secondary follows the catalog. */
  readonly zones: readonly string[] | null;
  /** The name of the catalog zone, without final dot. */
  readonly catalog: string;
  /** Transfers over TLS (RFC 9103), to the ports of `primaries`; absent: without TLS. */
  readonly tls?: PrimaryTls | undefined;
}

/** How the secondary verifies our nodes, and what it shows them. */
export interface PrimaryTls {
  /** The name in the certificates of our nodes. Knot does not look at it. */
  readonly hostName: string | null;
  /** The path of the authorities in PEM, at the secondary; null: those of its system. Knot has none. */
  readonly authorities: string | null;
  /** The pins (pin.ts) of our nodes, for Knot. BIND and NSD know none. */
  readonly pins: readonly string[];
  /** The paths of its certificate and key in PEM, at the secondary; null: it shows none. */
  readonly certificate: { readonly file: string; readonly keyFile: string } | null;
}

export interface ServerPlace {
  /** The addresses on which the secondary answers. */
  readonly listen: readonly Endpoint[];
  /** The absolute path of the folder for its data; it must exist, and the server must be able to write to it. */
  readonly folder: string;
}

/** The largest zone that a secondary accepts: 100,000 signed records take 36 MB. */
export const MAX_ZONE_MIB = 1_024;

/** The settings of a secondary that answers the public as a node does. */
export interface Serving {
  /** Answers to NSID (RFC 5001). */
  readonly identity: string;
  /** Threads for queries over UDP. */
  readonly workers: number;
  /** Null: no limit. */
  readonly rateLimit: {
    readonly perSecond: number;
    readonly exempt: readonly string[];
    /** More items of Knot's module, which depend on its version. */
    readonly items: Readonly<Record<string, number>>;
  } | null;
  /** DNS over TLS, with the paths of certificate and key; null: none. */
  readonly tls: { readonly port: number; readonly certificate: string; readonly key: string } | null;
  /** 32 hexadecimal digits, the same for all that share an address. */
  readonly cookieSecret: string;
  /** The sizes that databases may take on the disk, in MiB; null: Knot's default. */
  readonly disk: {
    readonly journalMiB: number;
    readonly zoneMiB: number;
    readonly timersMiB: number | null;
    readonly catalogMiB: number | null;
  };
}
