// The secondaries of a zone: their state, and the owner's choice among those that are offered.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { zoneSecondariesBody } from '#contract/secondary.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import type { ServiceContext } from '#service/context.ts';
import { chooseSecondaries, readOfferedForZone, readZoneSecondaries } from '#service/secondaries/choice.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, list, readTyped, type Typed } from '../shell/forms.ts';
import { done } from '../shell/views.ts';
import { mustConfirm, type OfZone, readZoneHead } from './head.ts';

const KINDS = { current: 'done', behind: 'warn', silent: 'failed', unknown: '' } as const;
const LISTED_BY = { all: 'has all zones', administrator: 'the administrator', owner: 'the owner' } as const;

/**
 * The data that `zones/secondaries` shows.
 * @param tickedNames the boxes that a refused form had; otherwise those of the choice
 */
export async function shownSecondaries(
  context: ServiceContext,
  request: FastifyRequest,
  zoneId: string,
  tickedNames?: readonly string[],
) {
  const actor = requireActor(request);
  const [offers, secondaries] = [
    await readOfferedForZone(context, actor, zoneId),
    await readZoneSecondaries(context, actor, zoneId),
  ];
  const chosenNames = secondaries.flatMap(({ name, chosen: isChosen }) => (isChosen ? [name] : []));
  // The operator alone knows the namespace of a zone, so an offer to namespaces has no box.
  const open = offers.filter(({ namespaces }) => namespaces === null).map(({ name }) => name);
  const names = [...new Set([...open, ...chosenNames])].sort();
  return {
    chosen: chosenNames,
    rows: secondaries.map((each) => ({ ...each, kind: KINDS[each.state], listedBy: LISTED_BY[each.listedBy] })),
    boxes: names.map((name) => ({
      name,
      nameservers: [...offers, ...secondaries].find((each) => each.name === name)?.nameservers ?? [],
      isTicked: (tickedNames ?? chosenNames).includes(name),
      isOffered: open.includes(name),
    })),
  };
}

/** @param settings shows the page with the form again */
export function secondaryForm(
  app: FastifyInstance,
  { context }: ConsoleParts,
  settings: (
    request: FastifyRequest<OfZone>,
    reply: FastifyReply,
    again: { typed: Typed; errors: FormErrors; ticked: readonly string[] },
  ) => Promise<FastifyReply>,
): void {
  app.post<OfZone>('/zones/:zoneId/secondaries', { config: { counts: 'zones' } }, async (request, reply) => {
    const typed = readTyped(request);
    const tickedNames = [typed.secondary ?? []].flat();
    const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
    return attemptForm(
      reply,
      ['secondaries', 'anyway'],
      async () => {
        const { secondaries } = judge(zoneSecondariesBody, { secondaries: tickedNames });
        mustConfirm(zone.managedBy, typed);
        const seenNames = typed.seen === undefined ? undefined : list(typed, 'seen');
        await chooseSecondaries(context, readCaller(request), zone.id, secondaries, seenNames);
        const words = secondaries.length === 0 ? 'no secondary' : secondaries.join(', ');
        return done(request, reply, `${home}/settings`, `You chose ${words} for ${zone.zoneName}.`);
      },
      (errors) => settings(request, reply, { typed, errors, ticked: tickedNames }),
    );
  });
}
