// Who changed what in a zone: before and after, by whom, in which serial.
import type { FastifyInstance } from 'fastify';
import { actorOf } from '../api/auth.ts';
import { type KeyName, keyNames } from '../store/key-names.ts';
import { readChanges } from '../zones/history.ts';
import { changedFields, subjectOf } from './changed-fields.ts';
import type { ConsoleParts } from './parts.ts';
import { withQuery } from './shown.ts';
import { show } from './views.ts';
import { headOf, type OfZone } from './zone-head.ts';

const PAGE = 40;

export function zoneHistoryPages(app: FastifyInstance, { house }: ConsoleParts): void {
  app.get<OfZone & { Querystring: { cursor?: string } }>('/zones/:zoneId/history', async (request, reply) => {
    const { cursor } = request.query;
    const { zone, home } = await headOf(house, request, request.params.zoneId);
    const { changes, next } = await readChanges(house, actorOf(request), zone.id, { limit: PAGE, cursor });
    const names = await keyNames(house.db, [...new Set(changes.map(({ keyId }) => keyId))]);
    const here = `${home}/history`;
    return show(request, reply, 'zone/history', {
      title: `History of ${zone.zoneName}`,
      zone,
      home,
      changes: changes.map((change) => ({
        at: change.at,
        action: change.action,
        serial: change.serial,
        requestId: change.requestId,
        who: whoOf(names.get(change.keyId), change.keyId),
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

/** People by their address, programs by their key and what they call themselves. */
function whoOf(key: KeyName | undefined, id: string): { name: string; agent: string | null; keyId: string } {
  const name = key?.email ?? key?.name ?? 'a key that is gone';
  return { name, agent: key?.email == null ? (key?.lastUsedBy ?? null) : null, keyId: id };
}
