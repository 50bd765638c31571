// The quota of a team: the amounts in use and the limits.
import type { FastifyInstance } from 'fastify';
import { requireActor } from '#http/hooks/auth.ts';
import type { QuotaView } from '#service/accounts/quota-view.ts';
import { readTeamDetail } from '#service/accounts/teams.ts';
import type { ConsoleParts } from '../parts.ts';
import { showPage } from '../shell/views.ts';

const number = new Intl.NumberFormat('en');

/** Octets in the largest unit that gives a number of at least 1: 1 GiB, 210.5 KiB. */
export function shownOctets(octets: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const at = octets < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(octets) / 10));
  return `${new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(octets / 1024 ** at)} ${units[at]}`;
}

function shownShares({ zones, records, bytes, keys, members }: QuotaView) {
  const showShare = (name: string, { used, limit }: { used: number; limit: number }) => ({
    name,
    part: limit > 0 ? Math.min(1, used / limit) : 1,
    used: number.format(used),
    limit: number.format(limit),
  });
  return [
    showShare('Zones', zones),
    showShare('Records', records),
    {
      ...{ name: 'Names and contents of records', part: bytes.limit > 0 ? Math.min(1, bytes.used / bytes.limit) : 1 },
      ...{ used: shownOctets(bytes.used), limit: shownOctets(bytes.limit) },
    },
    showShare('Valid API keys', keys),
    showShare('Members', members),
  ];
}

export function quotaPages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get<{ Params: { teamId: string } }>('/teams/:teamId/quota', async (request, reply) => {
    const { quota, ...team } = await readTeamDetail(context, requireActor(request), request.params.teamId);
    return showPage(request, reply, 'teams/quota', {
      title: `Quota of ${team.name}`,
      team,
      shares: shownShares(quota),
    });
  });
}
