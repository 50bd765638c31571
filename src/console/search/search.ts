// The search over all zones of a person: zones by a part of their name, and the zone that a whole name belongs to. It
// is a page, and with scripts a dialog on every page.
import type { FastifyInstance } from 'fastify';
import { requireActor } from '#http/hooks/auth.ts';
import { Refusal } from '#service/refusal.ts';
import { readZoneList } from '#service/zones/list.ts';
import { readEnclosingZone } from '#service/zones/zones.ts';
import type { ConsoleParts } from '../parts.ts';
import { clipText, searchTexts } from '../shell/shown.ts';
import { showPage } from '../shell/views.ts';
import { addressOfZone } from '../zones/head.ts';
import { nameInZone } from './target.ts';

const MAX_ZONES = 8;
/** The longest name, in characters. */
const MAX_TEXT = 255;

export function searchPages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get<{ Querystring: { text?: string } }>('/search', async (request, reply) => {
    const actor = requireActor(request);
    const sent: unknown = request.query.text;
    const typedText = typeof sent === 'string' ? sent.trim().slice(0, MAX_TEXT) : '';
    const text = searchTexts(typedText).at(-1) ?? '';
    const query = { state: undefined, owner: undefined, order: 'name', descending: false, page: 1 } as const;
    const { zones } =
      text === '' ? { zones: [] } : await readZoneList(context, actor, { ...query, text, limit: MAX_ZONES });
    const enclosing = text.includes('.')
      ? await readEnclosingZone(context, actor, text).catch((error) => {
          if (error instanceof Refusal) return null;
          throw error;
        })
      : null;
    const name = enclosing && nameInZone(text, enclosing.zoneName);
    return showPage(request, reply, request.headers['hx-request'] === 'true' ? 'search/form' : 'search/search', {
      title: 'Search',
      text: typedText,
      zones: zones.map(({ id, zoneName }) => ({ zoneName: clipText(zoneName), address: addressOfZone(id) })),
      record: enclosing && name ? { ...enclosing, name, home: addressOfZone(enclosing.id) } : null,
    });
  });
}
