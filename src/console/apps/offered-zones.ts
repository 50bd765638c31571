// The zones of a team, for the levels on single zones that the forms of keys and trusts have.
import type { FastifyRequest } from 'fastify';
import { requireActor } from '#http/hooks/auth.ts';
import type { ServiceContext } from '#service/context.ts';
import { readZones } from '#service/zones/zones.ts';
import type { Typed } from '../shell/forms.ts';
import { grantRows, type OfferedZone } from './form.ts';

/** The number of zones that are offered. Other zones can be typed. */
const OFFERED_ZONES = 200;

export async function offeredZones(
  context: ServiceContext,
  request: FastifyRequest,
  teamId: string,
): Promise<OfferedZone[]> {
  const { zones } = await readZones(context, requireActor(request), { limit: OFFERED_ZONES });
  return zones.filter(({ owner }) => owner === `org:${teamId}`);
}

/** The ids of the zones that a form names, for `readKeyTerms`. */
export async function typedZoneIds(
  context: ServiceContext,
  request: FastifyRequest,
  typed: Typed,
  teamId: string,
): Promise<(zoneName: string) => string | null> {
  const idByName = new Map<string, string>();
  for (const name of new Set(grantRows(typed).map(({ zone }) => zone))) {
    if (name === '') continue;
    const { zones } = await readZones(context, requireActor(request), { zoneName: name });
    for (const { id, owner } of zones) if (owner === `org:${teamId}`) idByName.set(name, id);
  }
  return (name) => idByName.get(name) ?? null;
}
