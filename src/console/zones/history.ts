// The history of a zone: each change with its author and time, and a search by author, kind, name and day.
import type { FastifyInstance } from 'fastify';
import { requireActor } from '#http/hooks/auth.ts';
import { readKeyNames } from '#service/keys/names.ts';
import { countRequests, findChanges, type HistoryFilter, readChanges } from '#service/zones/history.ts';
import type { ConsoleParts } from '../parts.ts';
import { withQuery } from '../shell/shown.ts';
import { type Trail, trailLinks } from '../shell/trail.ts';
import { showPage } from '../shell/views.ts';
import { type OfZone, readZoneHead } from './head.ts';
import { groupHistory, MAX_UNFOLDED } from './history-entries.ts';

const PAGE = 40;
/** The longest text of a filter, in characters. Names and addresses are not longer. */
const LONGEST = 255;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The kinds of changes that people look for, with a part of the action of each. */
const KINDS: Readonly<Record<string, { label: string; action: string }>> = {
  created: { label: 'Records created', action: 'record.create' },
  changed: { label: 'Records changed', action: 'record.update' },
  deleted: { label: 'Records deleted', action: 'record.delete' },
  zone: { label: 'The zone itself', action: 'zone.' },
};

interface Typed {
  by?: string;
  kind?: string;
  name?: string;
  from?: string;
  to?: string;
}

export function zoneHistoryPages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get<OfZone & { Querystring: Typed & Trail }>('/zones/:zoneId/history', async (request, reply) => {
    const { cursor } = request.query;
    const typed = typedFilter(request.query);
    const isFiltered = Object.keys(typed).length > 0;
    const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
    const query = { limit: PAGE, cursor };
    const historyPage = isFiltered
      ? await findChanges(context, requireActor(request), zone.id, readFilter(typed), query)
      : { ...(await readChanges(context, requireActor(request), zone.id, query)), isCut: false };
    const names = await readKeyNames(
      context,
      historyPage.changes.map(({ keyId }) => keyId),
    );
    const more = { newer: cursor !== undefined, older: historyPage.next !== undefined };
    const ends = [more.newer && historyPage.changes[0], more.older && historyPage.changes.at(-1)];
    const cut = ends.flatMap((change) => change || []);
    const counts = await countRequests(context, requireActor(request), zone.id, cut);
    const here = `${home}/history`;
    return showPage(request, reply, 'zones/history', {
      title: `History of ${zone.zoneName}`,
      zone,
      home,
      typed,
      isFiltered,
      isCut: historyPage.isCut,
      kinds: [['', 'Any kind'], ...Object.entries(KINDS).map(([kind, { label }]) => [kind, label])],
      maxUnfolded: MAX_UNFOLDED,
      groups: groupHistory(historyPage.changes, names, context.now(), more, counts),
      pages: trailLinks(request.query, historyPage.next, (query) => withQuery(here, { ...typed, ...query })),
    });
  });
}

/** The fields that have a value. Postgres stores neither NUL nor half of a surrogate pair, so no value has them. */
function typedFilter(query: Typed): Typed {
  const fields = (['by', 'kind', 'name', 'from', 'to'] as const).map((field) => {
    const sentText: unknown = query[field];
    const text =
      typeof sentText === 'string' ? sentText.trim().slice(0, LONGEST).toWellFormed().replaceAll('\0', '\uFFFD') : '';
    return [field, text] as const;
  });
  return Object.fromEntries(fields.filter(([, text]) => text !== ''));
}

function readFilter({ by, kind, name, from, to }: Typed): HistoryFilter {
  const end = parseDay(to);
  return {
    by,
    name,
    action: kind === undefined ? undefined : KINDS[kind]?.action,
    from: parseDay(from),
    until: end && new Date(end.getTime() + DAY_MS),
  };
}

/** The beginning of a day in UTC. A text that is not a day does not filter. */
function parseDay(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? undefined : day;
}
