// The state of a zone in the head of its pages, which a page asks for after it is shown, because a parent zone may be
// slow; the page of the delegation; and the card with the next step of a zone that is not visible yet.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireActor } from '#http/hooks/auth.ts';
import { readDanglingNames, SUMMARIZED } from '#service/dangling/list.ts';
import { readNodesOfZone } from '#service/nodes/living.ts';
import { readDelegation } from '#service/zones/zones.ts';
import type { ConsoleParts } from '../parts.ts';
import { showPage } from '../shell/views.ts';
import { buildChips, isStepLeft } from './chips.ts';
import { type OfZone, readZoneHead } from './head.ts';
import { showZoneKeys } from './key-roll.ts';

declare module '@fastify/secure-session' {
  interface SessionData {
    /** The zones whose card the person hid. */
    hiddenCards: string[];
  }
}

/** How long a head waits for the parent zone, in ms. */
const DELEGATION_MS = 3_000;
/** Zones that a cookie remembers. */
const MAX_HIDDEN = 20;

export function zoneStatePages(app: FastifyInstance, { context }: ConsoleParts): void {
  const isChecked = context.delegation?.look != null;

  const readState = async (request: FastifyRequest<OfZone>) => {
    const [actor, { zoneId }] = [requireActor(request), request.params];
    const { zone, home } = await readZoneHead(context, request, zoneId);
    const nodes = await readNodesOfZone(context, actor, zoneId);
    const { danglingNames: dangling } = await readDanglingNames(context, actor, { zone: zoneId, limit: SUMMARIZED });
    const late = new AbortController();
    const delegation = await Promise.race([
      readDelegation(context, actor, zoneId),
      sleep(DELEGATION_MS, null, { signal: late.signal }),
    ]).finally(() => late.abort());
    return { zone, home, delegation, chips: buildChips({ nodes, delegation, isChecked, dangling }) };
  };

  app.get<OfZone>('/zones/:zoneId/state', async (request, reply) => {
    const { delegation, ...state } = await readState(request);
    // The list of records has a place for the card.
    const isList = URL.parse(String(request.headers['hx-current-url']))?.pathname === state.home;
    const hasCard = isList && isStepLeft(delegation) && !isHidden(request, state.zone.id);
    return showPage(request, reply, 'zones/state', { title: state.zone.zoneName, ...state, hasCard });
  });

  app.get<OfZone>('/zones/:zoneId/delegation', async (request, reply) => {
    const state = await readState(request);
    const title = `Delegation of ${state.zone.zoneName}`;
    const keys = await showZoneKeys(context, request);
    const page = { title, ...state, isLeft: isStepLeft(state.delegation), ...keys };
    return showPage(request, reply, 'zones/delegation-page', page);
  });

  app.post<OfZone>('/zones/:zoneId/hide-card', { config: { changesNothing: true } }, async (request, reply) => {
    const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
    const hidden = (request.session.get('hiddenCards') ?? []).filter((id) => id !== zone.id);
    request.session.set('hiddenCards', [...hidden, zone.id].slice(-MAX_HIDDEN));
    return reply.redirect(home, 303);
  });
}

/** Whether the person hid the card of the zone in this session. */
export function isHidden(request: FastifyRequest, zoneId: string): boolean {
  return (request.session.get('hiddenCards') ?? []).includes(zoneId);
}
