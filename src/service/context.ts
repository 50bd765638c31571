// The parameters of every operation: the context of the process, and the caller.
import type { Keyring } from '#base/keyring.ts';
import type { Limit } from '#base/limit.ts';
import type { DelegationSeen } from '#dns/dnssec/delegation.ts';
import type { Sightings } from '#dns/dnssec/key-sightings.ts';
import type { Db } from '#store/database.ts';
import type { TokenVerifier } from '#tokens/verifier.ts';
import type { Actor } from './accounts/actor.ts';
import type { Quotas } from './accounts/quota.ts';
import type { ZoneQueue } from './change/queue.ts';
import type { TagCondition } from './conditions/match.ts';
import type { Commits } from './nodes/commits.ts';

/** How the parents of zones are asked. */
export interface Delegation {
  /** Private single-label zones, which need no claim. */
  privateTlds: ReadonlySet<string>;
  /**
   * Queries the delegation at the parent zone. Null: the delegation check is off.
   * @param ds in wire form
   * @param owner the owner of the zone: each owner may have a limited number of queries in progress
   */
  look: ((zone: string, ds: readonly Uint8Array[], owner: string) => Promise<DelegationSeen>) | null;
}

/**
 * Asks the name servers of a zone for its keys, or those of its parent for DS records. It takes at most 10 s.
 * @param question.nameservers those of the zone, or of the hosted parent
 * @param question.parent where the DS records are; null: the zone is asked
 * @throws the reason of the signal
 */
export type SightKeys = (
  question: { zone: string; nameservers: readonly string[]; parent: 'hosted' | 'elsewhere' | null },
  signal: AbortSignal,
) => Promise<Sightings>;

/** The database, the limits, and the sources of time and randomness of one process. */
export interface ServiceContext {
  db: Db;
  queue: ZoneQueue;
  /** How long a change waits for its zone before it is refused as busy, in ms. */
  busyAfterMs: number;
  /** Limits how many zone files are planned and written at a time. */
  imports: Limit;
  /** Limits how many transactions that add a zone wait for the lock of the tree of zones, each with a connection. */
  additions: Limit;
  /** Limits how many lists and zone files of several pages are read at a time: each holds a database connection. */
  largeReads: Limit;
  /** Encrypts the private keys of zones. */
  keyring: Keyring;
  /** Announces commits to the feed. */
  commits?: Commits;
  /**
   * Gets to know the changes after which a zone waits for its delegation, or for its end. (Default: the next look finds
   * them.)
   */
  childZones?: { changed(): void; reported(): void };
  /** Host names of the name servers, without the final dot. */
  nameservers: string[];
  /** Asks the parent zones how a zone is delegated. Absent: no check. */
  delegation?: Delegation;
  /** Looks at the keys that the servers of a zone answer with. Absent: no key roll takes a step. */
  sightKeys?: SightKeys;
  /**
   * Resolves the target of an ALIAS before its record is written, so that the record is served at once; never throws.
   * (Default: only the background worker resolves targets.)
   * @param target.target with the final dot
   * @param target.owner id of the team or person that owns the zone of the record
   */
  prepareAlias?(target: { target: string; owner: string }): Promise<void>;
  /** Whether a zone may be a public suffix such as co.uk. (Default: false.) */
  allowPublicSuffixes?: boolean;
  /** Reserved names that are allowed as zones, with every name below them; `allow`: all. */
  reservedNames?: readonly string[] | 'allow';
  /** The default quotas of teams and people. */
  quotas: Quotas;
  /** Why the service takes no changes. Absent: it takes them. */
  readOnly?: string | undefined;
  /** The octets of each kind of history that one owner keeps. */
  historyBytes: number;
  /** How long the name of a deleted zone is reserved for its former owner, in ms; 0: it is not reserved. */
  quarantineMs: number;
  /** Verifies tokens of trusts. Absent: no token is accepted. */
  tokens?: TokenVerifier | undefined;
  now(): Date;
  /** @returns the given number of random bytes */
  random(bytes: number): Buffer;
}

/** The holder of a key or a session, and the request. */
export interface Caller {
  actor: Actor;
  requestId: string;
  /** The Idempotency-Key of a POST and a hash of its content; null without one. */
  once: { token: string; requestHash: Uint8Array } | null;
  /** The object in another system that a new zone is made for (`DNSZone namespace/name`). */
  managedBy?: string | null;
  /** Whether the service itself makes the change: there is no key whose validity is checked. (Default: false.) */
  isService?: boolean;
  /**
   * The condition of the request: of the record that it changes, or else of the zone or of the zone's records.
   */
  condition?: TagCondition | null;
  /** Whether the client closed its connection. A change that still waits is not written then. */
  isGone?: () => boolean;
}
