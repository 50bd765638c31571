// Selects the API key for a DNSZone: the operator's own key, or the key in the Secret that spec.credentialsSecretRef
// names. Each key has its own client and its own write limits. The operator reads each Secret by name when it needs it,
// and never lists or watches Secrets, so that a Role can permit each Secret by name. No message contains a key.

import type { Clock } from '#base/clock.ts';
import type { Client } from '#client/client.ts';
import { ApiError, isKeyNotRead } from '#client/errors.ts';
import type { Dispatcher } from '#client/pace/dispatcher.ts';
import type { KubeApi } from '#kube/api/api.ts';
import { KubeError } from '#kube/api/errors.ts';
import { SECRET, type SecretObject } from '#kube/objects/secrets.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { SECRET_KEY } from '#resources/names.ts';
import { type NotReady, no } from '../run/conditions.ts';

/** The client and the dispatcher of one API key. */
export interface ServiceConnection {
  readonly client: Client;
  readonly dispatcher: Dispatcher;
  /** The team of the key, as an owner: `org:<teamId>`, or `personal`. */
  owner(signal: AbortSignal): Promise<string>;
}

/** The zone's own API key cannot be used. */
export class KeyUnusable extends Error {
  readonly answer: NotReady;

  constructor(answer: NotReady) {
    super(answer.message);
    this.name = 'KeyUnusable';
    this.answer = answer;
  }
}

export interface Credentials {
  /** The connection of the operator's own key. */
  readonly own: ServiceConnection;
  /**
   * Returns the connection of a zone.
   * @throws KeyUnusable; KubeError when the API server does not answer and the key is not cached
   */
  of(zone: DNSZone, signal: AbortSignal): Promise<ServiceConnection>;
  /**
   * Keeps the connection for the deletion of the zone: Kubernetes deletes the Secrets of a namespace before its
   * DNSZones.
   */
  remember(zoneId: string, connection: ServiceConnection): void;
  remembered(zoneId: string | undefined): ServiceConnection | undefined;
  /** The service refuses the key: the next call of `of` reads the Secret again. */
  invalidate(zone: DNSZone): void;
  /** The operator reads a missing or invalid Secret again after this time, in ms. */
  readonly refreshMs: number;
}

interface WithCredentials {
  readonly credentials: Credentials;
}

export interface CredentialsOptions {
  readonly api: Pick<KubeApi, 'get'>;
  readonly own: ServiceConnection;
  connect(key: string): ServiceConnection;
  readonly clock: Clock;
  /** The operator sees an edit of a Secret after at most this time, in ms. (Default: 10,000.) */
  readonly refreshMs?: number | undefined;
}

const REFRESH_MS = 10_000;

interface Known {
  readonly key: string;
  readonly connection: ServiceConnection;
  readAt: number;
}

export function createCredentials(options: CredentialsOptions): Credentials {
  const { api, own, connect, clock, refreshMs = REFRESH_MS } = options;
  const bySecret = new Map<string, Known>();
  const byZoneId = new Map<string, ServiceConnection>();

  function connectionFor(key: string): ServiceConnection {
    for (const knownSecret of bySecret.values()) if (knownSecret.key === key) return knownSecret.connection;
    return connect(key);
  }

  async function read(zone: DNSZone, place: string, signal: AbortSignal): Promise<ServiceConnection> {
    const knownSecret = bySecret.get(place);
    if (knownSecret && clock.now() - knownSecret.readAt < refreshMs) return knownSecret.connection;
    let key: string | null;
    try {
      key = keyIn(await api.get<SecretObject>(SECRET, secretOf(zone), signal));
    } catch (error) {
      const answer = unreadable(zone, error);
      if (answer) throw new KeyUnusable(answer);
      if (knownSecret && error instanceof KubeError) return knownSecret.connection;
      throw error;
    }
    if (key === null) {
      const message = `Secret ${place} has no valid API key under ${SECRET_KEY}. Put an API key (yk_…) there.`;
      throw new KeyUnusable(no('CredentialsMissing', message));
    }
    const connection = knownSecret?.key === key ? knownSecret.connection : connectionFor(key);
    bySecret.set(place, { key, connection, readAt: clock.now() });
    return connection;
  }

  return {
    own,
    refreshMs,
    of: (zone, signal) =>
      zone.spec.credentialsSecretRef === undefined ? Promise.resolve(own) : read(zone, placeOf(zone), signal),
    remember: (zoneId, connection) => void byZoneId.set(zoneId, connection),
    remembered: (zoneId) => (zoneId === undefined ? undefined : byZoneId.get(zoneId)),
    invalidate: (zone) => {
      const knownSecret = bySecret.get(placeOf(zone));
      if (knownSecret) knownSecret.readAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/**
 * Returns the zone's connection to the service.
 * @throws KeyUnusable; ApiError or ApiUnavailable from the request for the team of the key
 */
export async function connectionFor(
  { credentials }: WithCredentials,
  zone: DNSZone,
  signal: AbortSignal,
): Promise<ServiceConnection> {
  const connection = await credentials.of(zone, signal);
  if (zone.spec.credentialsSecretRef === undefined) return connection;
  const { owner, zoneId } = zone.status ?? {};
  const team = await connection.owner(signal);
  // The key of another team does not see the zone: the operator would create everything again and delete nothing.
  if (owner?.startsWith('org:') && team.startsWith('org:') && team !== owner) {
    const message = `The API key in Secret ${placeOf(zone)} belongs to ${team}, but the zone belongs to ${owner}. Put an API key of ${owner} there.`;
    throw new KeyUnusable(no('CredentialsWrongTeam', message));
  }
  if (zoneId !== undefined) credentials.remember(zoneId, connection);
  return connection;
}

/**
 * Returns the connection for a deletion, which is the remembered one when the Secret cannot be used: Kubernetes deletes
 * the Secrets of a namespace first.
 * @param zone undefined if its object no longer exists
 * @throws as {@link connectionFor}
 */
export async function connectionForDeletion(
  context: WithCredentials,
  zone: DNSZone | undefined,
  zoneId: string | undefined,
  signal: AbortSignal,
): Promise<ServiceConnection> {
  const rememberedConnection = context.credentials.remembered(zoneId);
  if (zone === undefined) return rememberedConnection ?? context.credentials.own;
  try {
    return await connectionFor(context, zone, signal);
  } catch (error) {
    if (rememberedConnection && (error instanceof KeyUnusable || rejectedKey(zone, error))) return rememberedConnection;
    throw error;
  }
}

/** Returns the condition for a zone whose own API key the service refuses, and null for any other error. */
export function rejectedKey(zone: DNSZone, error: unknown): NotReady | null {
  if (!(error instanceof ApiError) || error.status !== 401 || isKeyNotRead(error)) return null;
  if (zone.spec.credentialsSecretRef === undefined) return null;
  const message = `The DNS service refuses the API key in Secret ${placeOf(zone)}. Put a valid API key there.`;
  return no('CredentialsRejected', message);
}

/** Returns null for text that is not a possible key, because it would not be a valid header either. */
function keyIn({ data }: SecretObject): string | null {
  const key = Buffer.from(data?.[SECRET_KEY] ?? '', 'base64')
    .toString('latin1')
    .trim();
  return /^[\x21-\x7e]{1,512}$/.test(key) ? key : null;
}

function unreadable(zone: DNSZone, error: unknown): NotReady | null {
  if (!(error instanceof KubeError)) return null;
  const place = placeOf(zone);
  if (error.status === 404) {
    return no('CredentialsMissing', `Secret ${place} does not exist. Create it with an API key under ${SECRET_KEY}.`);
  }
  if (error.status === 403) {
    const { namespace, name } = secretOf(zone);
    const message = `The operator is not allowed to read Secret ${place}. Create a Role in namespace ${namespace} that allows to get Secret ${name}, and bind it to the operator (deploy/examples/team-key.yaml).`;
    return no('CredentialsNotReadable', message);
  }
  return null;
}

function secretOf({ metadata, spec }: DNSZone) {
  return { namespace: metadata.namespace ?? '', name: spec.credentialsSecretRef?.name ?? '' };
}

function placeOf(zone: DNSZone): string {
  const { namespace, name } = secretOf(zone);
  return `${namespace}/${name}`;
}
