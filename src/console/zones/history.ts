// The history of a zone: each change with its state before and after, its author and its serial.
import type { FastifyInstance } from 'fastify';
import { actorOf } from '#api/hooks/auth.ts';
import { type KeyName, readKeyNames } from '#service/keys/names.ts';
import { SERVICE_KEY } from '#service/owners/leases.ts';
import { readChanges } from '#service/zones/history.ts';
import type { ConsoleParts } from '../parts.ts';
import { changedFields, subjectOf } from '../shell/changed-fields.ts';
import { withQuery } from '../shell/shown.ts';
import { show } from '../shell/views.ts';
import { headOf, type OfZone } from './head.ts';

const PAGE = 40;

export function zoneHistoryPages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get<OfZone & { Querystring: { cursor?: string } }>('/zones/:zoneId/history', async (request, reply) => {
    const { cursor } = request.query;
    const { zone, home } = await headOf(context, request, request.params.zoneId);
    const { changes, next } = await readChanges(context, actorOf(request), zone.id, { limit: PAGE, cursor });
    const names = await readKeyNames(
      context,
      changes.map(({ keyId }) => keyId),
    );
    const here = `${home}/history`;
    return show(request, reply, 'zones/history', {
      title: `History of ${zone.zoneName}`,
      zone,
      home,
      changes: changes.map((change) => ({
        at: change.at,
        action: change.action,
        serial: change.serial,
        requestId: change.requestId,
        who: whoOf(names.get(change.keyId), change.keyId),
        owner: change.owner ?? null,
        subject: subjectOf(change),
        fields: changedFields(change.before, change.after),
      })),
      pages: {
        first: cursor === undefined ? null : here,
        next: next === undefined ? null : withQuery(here, { cursor: next }),
      },
    });
  });
}

/** Shows a person by the e-mail address, and a program by its key and its user agent. */
function whoOf(key: KeyName | undefined, id: string): { name: string; agent: string | null; keyId: string } {
  const name = key?.email ?? key?.name ?? (id === SERVICE_KEY ? 'the service' : 'a deleted key');
  return { name, agent: key?.email == null ? (key?.lastUsedBy ?? null) : null, keyId: id };
}
