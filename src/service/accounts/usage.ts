// The usage of a team or person, next to its limits: for itself over REST, and for administrators over the database.
import { withDatabase } from '#store/admin.ts';
import {
  largestOwners,
  type OwnerUsage,
  readCommitments,
  readTableBytes,
  readUsage,
  type UsageOrder,
  writesOfKey,
} from '#store/usage.ts';
import type { ServiceContext } from '../context.ts';
import { type Actor, teamsOfActor } from './actor.ts';
import type { QuotaShare } from './quota.ts';

export { USAGE_ORDERS, type UsageOrder } from '#store/usage.ts';

export interface UsageView {
  /** `org:<teamId>` or `personal`. */
  owner: string;
  name: string;
  quota: { zones: QuotaShare; records: QuotaShare; bytes: QuotaShare };
  deletedZones: { zones: number; records: number; bytes: QuotaShare };
  /** Octets of the history of zones, and of that of members and keys. */
  history: { zones: QuotaShare; account: QuotaShare; since: string | null };
  /** Octets of stored answers to Idempotency-Keys. */
  answers: QuotaShare;
}

/** The limits of the service. */
interface Limits {
  zones: number;
  records: number;
  bytes: number;
  historyBytes: number;
}

/** The usage of the actor's team; for a person that of personal zones and of all teams. */
export async function actorUsage(context: ServiceContext, actor: Actor): Promise<UsageView[]> {
  const owners = [...teamsOfActor(actor), ...(actor.user === null ? [] : [actor.user.id])];
  const rows = await readUsage(context.db, owners);
  return rows.map((row) => viewOf(row, { ...context.quotas, historyBytes: context.historyBytes }));
}

/** The writes of the actor's key in the last 60 seconds. */
export async function actorWrites({ db }: ServiceContext, actor: Actor): Promise<{ zones: number; records: number }> {
  const writes = await writesOfKey(db, actor.keyId);
  return { zones: writes.get('zones') ?? 0, records: writes.get('records') ?? 0 };
}

function viewOf(row: OwnerUsage, limits: Limits): UsageView {
  const bytes = row.ownBytes ?? limits.bytes;
  const history = (used: number) => ({ used, limit: limits.historyBytes });
  return {
    owner: row.isTeam ? `org:${row.owner}` : 'personal',
    name: row.name,
    quota: {
      zones: { used: row.zones, limit: row.ownZones ?? limits.zones },
      records: { used: row.records, limit: row.ownRecords ?? limits.records },
      bytes: { used: row.bytes, limit: bytes },
    },
    deletedZones: {
      zones: row.deletedZones,
      records: row.deletedRecords,
      bytes: { used: row.deletedBytes, limit: bytes },
    },
    history: {
      zones: history(row.historyBytes),
      account: history(row.accountBytes),
      since: row.historySince === null ? null : new Date(row.historySince).toISOString(),
    },
    answers: history(row.answerBytes),
  };
}

export interface ServiceUsage {
  owners: (UsageView & { writes: number })[];
  /** Octets on disk by group of tables. */
  tables: Record<string, number>;
  /** The octets that the quotas of all owners together allow: of records and deleted zones, and of histories. */
  committed: { owners: number; bytes: number };
}

/**
 * The octets that quotas allow: records and as much of deleted zones, and three histories (of zones, of accounts, of
 * answers) for each owner. On disk, indexes come in addition.
 */
export function committedBytes(owners: number, recordBytes: number, historyBytes: number): number {
  return 2 * recordBytes + 3 * historyBytes * owners;
}

/** The largest owners, and the sizes of the database. @param top how many owners */
export function adminUsage(
  url: string,
  { order, top, limits }: { order: UsageOrder; top: number; limits: Limits },
): Promise<ServiceUsage> {
  return withDatabase(url, async (db) => {
    const rows = await largestOwners(db, order, top);
    const { owners, recordBytes } = await readCommitments(db, limits.bytes);
    return {
      owners: rows.map((row) => ({ ...viewOf(row, limits), owner: row.owner, writes: row.writes })),
      tables: Object.fromEntries(await readTableBytes(db)),
      committed: { owners, bytes: committedBytes(owners, recordBytes, limits.historyBytes) },
    };
  });
}
