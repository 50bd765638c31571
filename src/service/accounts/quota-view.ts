// The quota of a team or a person as the API shows it: the usage and the limit.
import { countKeys, countMembers, readOwnerQuota, zoneUsage } from '#store/quotas.ts';
import type { ServiceContext } from '../context.ts';
import type { QuotaShare } from './quota.ts';

interface ZoneQuotaView {
  zones: QuotaShare;
  records: QuotaShare;
  /** Octets of the names and contents of records. */
  bytes: QuotaShare;
}

export interface QuotaView extends ZoneQuotaView {
  /** Valid app keys. */
  keys: QuotaShare;
  members: QuotaShare;
}

/** The quota of a team that the caller may see. */
export async function readTeamQuota(context: ServiceContext, teamId: string): Promise<QuotaView> {
  const owner = { teamId, userId: null };
  const [ownQuota, usage, keys, members] = await Promise.all([
    readOwnerQuota(context.db, owner),
    zoneUsage(context.db, owner),
    countKeys(context.db, teamId, context.now()),
    countMembers(context.db, teamId),
  ]);
  const limit = (kind: keyof QuotaView) => ownQuota[kind] ?? context.quotas[kind];
  return {
    zones: { used: usage.zones, limit: limit('zones') },
    records: { used: usage.records, limit: limit('records') },
    bytes: { used: usage.bytes, limit: limit('bytes') },
    keys: { used: keys, limit: limit('keys') },
    members: { used: members, limit: limit('members') },
  };
}

/** The quota of the personal zones of a person. */
export async function readPersonalQuota(context: ServiceContext, userId: string): Promise<ZoneQuotaView> {
  const usage = await zoneUsage(context.db, { teamId: null, userId });
  const { zones, records, bytes } = context.quotas;
  return {
    zones: { used: usage.zones, limit: zones },
    records: { used: usage.records, limit: records },
    bytes: { used: usage.bytes, limit: bytes },
  };
}
