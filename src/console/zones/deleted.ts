// Deleted zones that can still be restored: the list, with a form for each.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { zoneRestoreBody } from '#contract/undo.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { requireCounter } from '#http/hooks/limits.ts';
import { readDeletedZones } from '#service/undo/deleted.ts';
import { restoreZone } from '#service/undo/zone.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, readTyped, textField } from '../shell/forms.ts';
import { readVisitor } from '../shell/session.ts';
import { done, showPage } from '../shell/views.ts';
import { addressOfZone } from './head.ts';

export function deletedZonesPages(app: FastifyInstance, { context }: ConsoleParts): void {
  const page = async (request: FastifyRequest, reply: FastifyReply, errors: FormErrors = {}) => {
    const names = new Map(readVisitor(request).teams.map(({ teamId, teamName }) => [`org:${teamId}`, teamName]));
    const zones = await readDeletedZones(context, requireActor(request));
    const ownerName = (owner: string) => names.get(owner) ?? 'Personal';
    return showPage(request, reply, 'zones/deleted', { title: 'Deleted zones', zones, ownerName, errors });
  };

  app.get('/zones/deleted', async (request, reply) => page(request, reply));

  app.post(
    '/zones/deleted',
    { config: { counts: { bucket: 'zones', changes: 'operation' } } },
    async (request, reply) => {
      const typed = readTyped(request);
      return attemptForm(
        reply,
        [],
        async () => {
          const { zoneName, zoneId } = judge(zoneRestoreBody, {
            zoneName: textField(typed, 'zoneName'),
            zoneId: textField(typed, 'zoneId'),
          });
          const count = requireCounter(request);
          await count(1);
          const zone = await restoreZone(context, readCaller(request), { zoneName, zoneId }, count);
          const word = `The zone ${zone.zoneName} is back with its records and its DNSSEC key.`;
          return done(request, reply, addressOfZone(zone.id), word);
        },
        (errors) => page(request, reply, errors),
      );
    },
  );
}
