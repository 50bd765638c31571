// Shows and changes a team's own quota from the command line.
import { insertAccountChange } from '#store/account-changes.ts';
import { withDatabase } from '#store/admin.ts';
import type { Db, Tx } from '#store/database.ts';
import { teamByName } from '#store/keys.ts';
import { lockTeam, type TeamRow } from '#store/people.ts';
import {
  countKeys,
  countMembers,
  lockOwnerQuota,
  type OwnQuota,
  readOwnerQuota,
  setOwnQuota,
  takeBackRoom,
  zoneUsage,
} from '#store/quotas.ts';
import { COMMAND_LINE } from '../administrator.ts';
import type { QuotaKind } from './quota.ts';

export interface QuotaChange {
  /** Whether to remove the team's own limits first. */
  reset: boolean;
  /** The new limits of the team. Omitted limits stay as they are. */
  numbers: Partial<Record<QuotaKind, number | undefined>>;
}

interface ListedQuota {
  id: string;
  name: string;
  /** `own` null: the default of the service applies, which this command does not know. */
  quota: Record<QuotaKind, { used: number; own: number | null }>;
}

const KINDS: readonly QuotaKind[] = ['zones', 'records', 'bytes', 'keys', 'members'];

/**
 * Applies `change`, which may be empty, and returns the quota. A quota that is lower than the usage deletes nothing.
 * @param team id or name
 * @throws Error if the team does not exist
 */
export async function adminTeamQuota(url: string, team: string, change: QuotaChange, now: Date): Promise<ListedQuota> {
  return withDatabase(url, async (db) => {
    const { id, name } = await db.transaction(async (tx) => {
      const row = await lockNamedTeam(tx, team);
      const owner = { teamId: row.id, userId: null };
      const before = numbersOf(await lockOwnerQuota(tx, owner));
      const after = numbersOf({ ...(change.reset ? NONE : before), ...given(change.numbers) });
      if (JSON.stringify(before) === JSON.stringify(after)) return row;
      await setOwnQuota(tx, row.id, after);
      const entry = { teamId: row.id, action: 'team.quota', subject: row.id, before, after, at: now } as const;
      await insertAccountChange(tx, { ...entry, ...COMMAND_LINE });
      // A lowered quota applies at once, even if zones have not yet used their reservations.
      await takeBackRoom(tx, owner, '');
      return row;
    });
    return { id, name, quota: await listedQuota(db, id, now) };
  });
}

async function lockNamedTeam(tx: Tx, team: string): Promise<TeamRow> {
  const row = (await lockTeam(tx, team)) ?? (await lockTeam(tx, (await teamByName(tx, team))?.id ?? ''));
  if (row) return row;
  throw new Error(`there is no team ${JSON.stringify(team)}; "zonestead admin teams list" shows ids and names`);
}

async function listedQuota(db: Db, teamId: string, now: Date): Promise<ListedQuota['quota']> {
  const owner = { teamId, userId: null };
  const [ownQuota, usage, keys, members] = await Promise.all([
    readOwnerQuota(db, owner),
    zoneUsage(db, owner),
    countKeys(db, teamId, now),
    countMembers(db, teamId),
  ]);
  return {
    zones: { used: usage.zones, own: ownQuota.zones },
    records: { used: usage.records, own: ownQuota.records },
    bytes: { used: usage.bytes, own: ownQuota.bytes },
    keys: { used: keys, own: ownQuota.keys },
    members: { used: members, own: ownQuota.members },
  };
}

const NONE: OwnQuota = { zones: null, records: null, bytes: null, keys: null, members: null };

/** Only the limits, always in the same order, so that two quotas can be compared as JSON. */
function numbersOf(quota: OwnQuota): OwnQuota {
  const { zones, records, bytes, keys, members } = quota;
  return { zones, records, bytes, keys, members };
}

function given(numbers: QuotaChange['numbers']): Partial<OwnQuota> {
  return Object.fromEntries(KINDS.flatMap((kind) => (numbers[kind] === undefined ? [] : [[kind, numbers[kind]]])));
}
