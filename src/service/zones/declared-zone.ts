// A zone that an installation needs for itself, over the database: the zone of its canary. The operation can be
// repeated, and an existing zone of the team stays as it is.
import type { Keyring } from '#base/keyring.ts';
import { parseZoneName } from '#dns/names/name.ts';
import { withDatabase } from '#store/admin.ts';
import { zonesNamed } from '#store/zones.ts';
import type { Actor } from '../accounts/actor.ts';
import { createZoneQueue } from '../change/queue.ts';
import type { ServiceContext } from '../context.ts';
import { ensureTeam } from '../keys/keys.ts';
import { SERVICE_KEY } from '../owners/leases.ts';
import { limitWork } from '../permits.ts';
import { insist } from '../refusal.ts';
import { createZone } from './create.ts';

export interface DeclaredZone {
  name: string;
  /** The name of the team. It is created if it does not exist. */
  team: string;
  /** The host names of the service's name servers, for the history. */
  nameservers: readonly string[];
}

interface Means {
  random(bytes: number): Buffer;
  /** Encrypts the private key of the zone. */
  readonly keyring: Keyring;
}

/** How long the creation waits for others, in ms: it comes once, in an upgrade. */
const WAIT_MS = 20_000;
/** The longest quarantine of the service: a name in quarantine for another team is refused. */
const QUARANTINE_MS = 8_760 * 3_600_000;
const ONE = { total: 1, share: 1, waiting: 1, waitMs: WAIT_MS, work: 'declared zones' };
/** The installation may have a zone beyond the quotas of its service; a quota of the team itself applies. */
const QUOTAS = { zones: 1e6, records: 1e9, bytes: 2 ** 40, keys: 1e6, members: 1e6 };

/**
 * @throws Refusal if the name is not a zone name, or is taken
 * @throws Error if the zone belongs to another team
 */
export async function ensureDeclaredZone(
  url: string,
  { name: text, team, nameservers }: DeclaredZone,
  { random, keyring }: Means,
): Promise<'known' | 'created'> {
  const name = insist(parseZoneName(text));
  return withDatabase(url, async (db) => {
    const { id: teamId } = await ensureTeam(db, team, random);
    const [existing] = await zonesNamed(db, [name]);
    if (existing !== undefined) {
      if (existing.teamId === teamId) return 'known';
      throw new Error(`the zone ${name} belongs to another owner than the team ${JSON.stringify(team)}`);
    }
    const context: ServiceContext = {
      ...{ db, random, keyring, nameservers: [...nameservers], quotas: QUOTAS, historyBytes: QUOTAS.bytes },
      quarantineMs: QUARANTINE_MS,
      ...{ queue: createZoneQueue(WAIT_MS), busyAfterMs: WAIT_MS, reservedNames: 'allow', allowPublicSuffixes: true },
      ...{ imports: limitWork(ONE), additions: limitWork(ONE), largeReads: limitWork(ONE) },
      now: () => new Date(),
    };
    const requestId = `bootstrap-${random(8).toString('hex')}`;
    const caller = { actor: installationOf(teamId, team), requestId, once: null, isService: true };
    await createZone(context, caller, { zoneName: name, owner: `org:${teamId}` });
    return 'created';
  });
}

/** The service acts for the team. */
function installationOf(teamId: string, teamName: string): Actor {
  return {
    ...{ keyId: SERVICE_KEY, keyName: SERVICE_KEY, teamId, teamName, user: null, memberships: [], expiresAt: null },
    ...{ records: 'none', manageZones: 'write', clusters: 'none', grants: new Map(), onlyNames: null, onlyTypes: null },
    ...{ signals: [], zoneWrites: null, recordWrites: null },
  };
}
