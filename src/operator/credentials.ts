// Which API key speaks for a DNSZone: the operator's own, or the one in the Secret that spec.credentialsSecretRef names. Each
// key has a client and a pace of its own. Secrets are read one at a time, when they are needed; never listed, never
// watched: the operator has to be permitted each by name. No key ever becomes part of a message.
import type { Client } from '../client/client.ts';
import type { Dispatcher } from '../client/dispatcher.ts';
import { ApiError } from '../client/errors.ts';
import type { KubeApi } from '../kube/api.ts';
import type { Clock } from '../kube/clock.ts';
import { KubeError } from '../kube/errors.ts';
import type { KubeObject, ResourceType } from '../kube/resource.ts';
import type { House } from './house.ts';
import { SECRET_KEY } from './names.ts';
import type { DNSZone } from './resources/dnszone.ts';
import { no, type Open } from './verdicts.ts';

/** The way to the service with one API key. */
export interface Connection {
  readonly client: Client;
  readonly dispatcher: Dispatcher;
  /** The team of the key, as an owner: `org:<teamId>`, or `personal`. */
  owner(signal: AbortSignal): Promise<string>;
}

export interface Credentials {
  /** @throws KubeError when the API server does not answer and the key is not known from before */
  of(zone: DNSZone, signal: AbortSignal): Promise<Connection | Open>;
  /** Kept for the end of the zone: the Secret of a namespace in deletion goes before its zones do. */
  remember(zoneId: string, connection: Connection): void;
  remembered(zoneId: string | undefined): Connection | undefined;
  /** The service refuses the key: it is read again at the next look. */
  doubt(zone: DNSZone): void;
}

export interface CredentialsOptions {
  readonly api: Pick<KubeApi, 'get'>;
  readonly own: Connection;
  connect(key: string): Connection;
  readonly clock: Clock;
}

const SECRET: ResourceType = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true };
/** How long a Secret that was read is not read again, in ms; an edit of it is seen after this. */
const FRESH_MS = 10_000;
/** How soon to look again for a Secret that is missing or wrong, in ms. */
export const CREDENTIALS_RETRY_MS = 10_000;

interface Known {
  readonly key: string;
  readonly connection: Connection;
  readAt: number;
}

export function createCredentials({ api, own, connect, clock }: CredentialsOptions): Credentials {
  const bySecret = new Map<string, Known>();
  const byZoneId = new Map<string, Connection>();

  function connectionFor(key: string): Connection {
    for (const known of bySecret.values()) if (known.key === key) return known.connection;
    return connect(key);
  }

  async function read(zone: DNSZone, place: string, signal: AbortSignal): Promise<Connection | Open> {
    const known = bySecret.get(place);
    if (known && clock.now() - known.readAt < FRESH_MS) return known.connection;
    let key: string | null;
    try {
      key = keyIn(await api.get<SecretObject>(SECRET, secretOf(zone), signal));
    } catch (error) {
      const answer = unreadable(zone, error);
      if (answer) return answer;
      if (known && error instanceof KubeError) return known.connection;
      throw error;
    }
    if (key === null) {
      return no('CredentialsMissing', `Secret ${place} has no API key under ${SECRET_KEY}; put one there (yk_…).`);
    }
    const connection = known?.key === key ? known.connection : connectionFor(key);
    bySecret.set(place, { key, connection, readAt: clock.now() });
    return connection;
  }

  return {
    of: (zone, signal) =>
      zone.spec.credentialsSecretRef === undefined ? Promise.resolve(own) : read(zone, placeOf(zone), signal),
    remember: (zoneId, connection) => void byZoneId.set(zoneId, connection),
    remembered: (zoneId) => (zoneId === undefined ? undefined : byZoneId.get(zoneId)),
    doubt: (zone) => {
      const known = bySecret.get(placeOf(zone));
      if (known) known.readAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/**
 * The house with the zone's own way to the service.
 * @throws what the service answers when it is asked for the team of a key
 */
export async function houseOf(
  house: House,
  zone: DNSZone,
  signal: AbortSignal,
): Promise<{ house: House } | { answer: Open }> {
  const found = await house.credentials.of(zone, signal);
  if (!('client' in found)) return { answer: found };
  if (zone.spec.credentialsSecretRef === undefined) return { house };
  const { owner } = zone.status ?? {};
  try {
    const team = await found.owner(signal);
    // Another team's key sees no zone where there is one: all would be made anew, and nothing would ever be deleted.
    if (owner?.startsWith('org:') && team.startsWith('org:') && team !== owner) {
      const message = `The API key in Secret ${placeOf(zone)} is of ${team}, and the zone belongs to ${owner}; put a key of that team there.`;
      return { answer: no('CredentialsWrongTeam', message) };
    }
  } catch (error) {
    const answer = rejected(house, zone, error);
    if (answer) return { answer };
    throw error;
  }
  if (zone.status?.zoneId !== undefined) house.credentials.remember(zone.status.zoneId, found);
  return { house: withConnection(house, found) };
}

/** The house with a way to the service of somebody else's. */
export function withConnection(house: House, { client, dispatcher, owner }: Connection): House {
  return { ...house, client, dispatcher, owner };
}

/** What a refused key means for a zone that brings its own. @returns null for anything else */
export function rejected(house: House, zone: DNSZone, error: unknown): Open | null {
  if (!(error instanceof ApiError) || error.status !== 401 || zone.spec.credentialsSecretRef === undefined) return null;
  house.credentials.doubt(zone);
  const message = `The DNS service does not accept the API key in Secret ${placeOf(zone)}; put a valid one there.`;
  return no('CredentialsRejected', message);
}

interface SecretObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** What could not be a key cannot become a header either. */
function keyIn({ data }: SecretObject): string | null {
  const key = Buffer.from(data?.[SECRET_KEY] ?? '', 'base64')
    .toString('latin1')
    .trim();
  return /^[\x21-\x7e]{1,512}$/.test(key) ? key : null;
}

function unreadable(zone: DNSZone, error: unknown): Open | null {
  if (!(error instanceof KubeError)) return null;
  const place = placeOf(zone);
  if (error.status === 404) {
    return no('CredentialsMissing', `There is no Secret ${place}; create it with an API key under ${SECRET_KEY}.`);
  }
  if (error.status === 403) {
    const { namespace, name } = secretOf(zone);
    const message = `The operator may not read Secret ${place}: bind a Role in namespace ${namespace} that permits to get Secret ${name} to the operator (deploy/examples/team-key.yaml).`;
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
