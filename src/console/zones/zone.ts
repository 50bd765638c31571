// The settings of a zone: the data for its parent, its default TTL, denial of names, comment, parking and deletion.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { zoneChangeBody } from '#contract/zone.ts';
import { DENIALS } from '#dns/dnssec/denial.ts';
import { plainName } from '#dns/names/plain.ts';
import { readCaller } from '#http/hooks/auth.ts';
import { type Refusal, refusal } from '#service/refusal.ts';
import { changeProperties, setZoneState } from '#service/zones/properties.ts';
import { removeZone } from '#service/zones/zones.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, readTyped, type Typed, textField } from '../shell/forms.ts';
import { isClash, seenIn, toTagCondition } from '../shell/seen.ts';
import { done, showPage } from '../shell/views.ts';
import { denialField } from './denial-field.ts';
import { mustConfirm, type OfZone, readZoneHead } from './head.ts';
import { secondaryForm, shownSecondaries } from './secondaries.ts';
import { differingZone, seenZoneText } from './seen.ts';

interface Again {
  /** The ticked boxes of secondaries in a refused form. */
  ticked?: readonly string[];
  typed?: Typed;
  errors?: FormErrors;
  refused?: Refusal;
}

export function zonePages(app: FastifyInstance, parts: ConsoleParts): void {
  const { context } = parts;

  app.get<OfZone>('/zones/:zoneId/settings', async (request, reply) => settings(context, request, reply));

  app.post<OfZone>('/zones/:zoneId/ttl', { config: { counts: 'zones' } }, async (request, reply) => {
    const typed = readTyped(request);
    const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
    return attemptForm(
      reply,
      ['defaultTtl', 'anyway'],
      async () => {
        const { defaultTtl } = judge(zoneChangeBody, {
          defaultTtl: Number(textField(typed, 'defaultTtl') || Number.NaN),
        });
        mustConfirm(zone.managedBy, typed);
        const seenProperties = typed.seen === undefined ? {} : { defaultTtl: Number(textField(typed, 'seen')) };
        await changeProperties(context, readCaller(request), zone.id, { defaultTtl }, seenProperties);
        return done(request, reply, `${home}/settings`, `The default TTL is now ${defaultTtl} s.`);
      },
      (errors) => settings(context, request, reply, { typed, errors }),
    );
  });

  app.post<OfZone>('/zones/:zoneId/denial', { config: { counts: 'zones' } }, async (request, reply) => {
    const typed = readTyped(request);
    const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
    return attemptForm(
      reply,
      ['denial', 'anyway'],
      async () => {
        const { denial } = judge(zoneChangeBody, { denial: textField(typed, 'denial') });
        mustConfirm(zone.managedBy, typed);
        const seenDenial = DENIALS.find((each) => each === textField(typed, 'seen'));
        const seenProperties = seenDenial === undefined ? {} : { denial: seenDenial };
        await changeProperties(context, readCaller(request), zone.id, { denial }, seenProperties);
        return done(request, reply, `${home}/settings`, `The zone now denies names with ${denial}.`);
      },
      (errors) => settings(context, request, reply, { typed, errors }),
    );
  });

  app.post<OfZone>('/zones/:zoneId/comment', { config: { counts: 'zones' } }, async (request, reply) => {
    const typed = readTyped(request);
    const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
    return attemptForm(
      reply,
      ['comment', 'anyway'],
      async () => {
        mustConfirm(zone.managedBy, typed);
        const seenProperties = typed.seen === undefined ? {} : { comment: textField(typed, 'seen') };
        await changeProperties(
          context,
          readCaller(request),
          zone.id,
          { comment: textField(typed, 'comment') },
          seenProperties,
        );
        return done(request, reply, `${home}/settings`, 'The comment was saved.');
      },
      (errors) => settings(context, request, reply, { typed, errors }),
    );
  });

  for (const [verb, state] of [
    ['park', 'parked'],
    ['unpark', 'active'],
  ] as const) {
    app.post<OfZone>(`/zones/:zoneId/${verb}`, { config: { counts: 'zones' } }, async (request, reply) => {
      const typed = readTyped(request);
      const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
      return attemptForm(
        reply,
        [],
        async () => {
          mustConfirm(zone.managedBy, typed);
          const seenProperties =
            typed.seen === undefined
              ? {}
              : { state: textField(typed, 'seen'), comment: textField(typed, 'seenComment') };
          await setZoneState(context, readCaller(request), zone.id, state, seenProperties);
          const words = state === 'parked' ? 'is parked: only its apex answers queries' : 'answers again';
          return done(request, reply, `${home}/settings`, `${zone.zoneName} ${words}.`);
        },
        (errors) => settings(context, request, reply, { typed, errors }),
      );
    });
  }

  secondaryForm(app, parts, (request, reply, again) => settings(context, request, reply, again));

  app.get<OfZone>('/zones/:zoneId/delete', async (request, reply) => deletePage(context, request, reply));

  app.post<OfZone>('/zones/:zoneId/delete', { config: { counts: 'zones' } }, async (request, reply) => {
    const typed = readTyped(request);
    const { zone } = await readZoneHead(context, request, request.params.zoneId);
    return attemptForm(
      reply,
      ['confirm', 'anyway'],
      async () => {
        if (plainName(textField(typed, 'confirm')) !== zone.zoneName) {
          throw refusal('not-confirmed', { name: zone.zoneName });
        }
        mustConfirm(zone.managedBy, typed);
        const condition = toTagCondition(seenIn(typed.seen)[0]);
        await removeZone(context, { ...readCaller(request), condition }, zone.id);
        const fields = [
          ['zoneName', zone.zoneName],
          ['zoneId', zone.id],
        ] as const;
        const undo = context.quarantineMs > 0 ? { address: '/console/zones/deleted', fields } : undefined;
        return done(request, reply, '/console/zones', `The zone ${zone.zoneName} was deleted.`, { undo });
      },
      (errors, refused) => deletePage(context, request, reply, { typed, errors, refused }),
    );
  });
}

async function settings(
  context: ConsoleParts['context'],
  request: FastifyRequest<OfZone>,
  reply: FastifyReply,
  again: Again = {},
) {
  const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
  const secondaries = await shownSecondaries(context, request, zone.id, again.ticked);
  const page = { title: zone.zoneName, zone, home, secondaries, ...denialField };
  return showPage(request, reply, 'zones/settings', { ...page, ...again });
}

async function deletePage(
  context: ConsoleParts['context'],
  request: FastifyRequest<OfZone>,
  reply: FastifyReply,
  again: Again = {},
) {
  const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
  const hours = context.quarantineMs / 3_600_000;
  const [seenZone] = isClash(again.refused) ? seenIn(again.typed?.seen) : [];
  const page = { title: `Delete ${zone.zoneName}?`, zone, home, hours, seen: seenZoneText(zone) };
  return showPage(request, reply, 'zones/delete', {
    ...page,
    differing: seenZone ? differingZone(seenZone, zone) : null,
    ...again,
  });
}
