// The zones of the visitor: the list with its search, and the form for a new zone.

import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { zoneCreateBody } from '#contract/zone.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import type { ServiceContext } from '#service/context.ts';
import { createZone } from '#service/zones/create.ts';
import { readZoneList, ZONE_ORDERS, type ZoneOrder } from '#service/zones/list.ts';
import { isParentHosted, readStatus } from '#service/zones/zones.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, readTyped, type Typed, textField } from '../shell/forms.ts';
import { readVisitor } from '../shell/session.ts';
import { parsePositive, searchTexts, withQuery } from '../shell/shown.ts';
import { parseSorting, sortChoices, sortHeads } from '../shell/sorting.ts';
import { done, showPage } from '../shell/views.ts';
import { denialField } from './denial-field.ts';
import { addressOfZone, shownZone } from './head.ts';

const SIZES = [25, 50, 100];
const PAGE = 50;
const ADDRESS = '/console/zones';
/** The columns that the list can be sorted by, with their order in the service. */
const SORTED: Readonly<Record<ZoneOrder, string>> = { name: 'Zone', records: 'Records', changed: 'Last change' };
const LARGEST_FIRST: readonly ZoneOrder[] = ['records', 'changed'];
/** The delegations of a page are queried for this long, in ms. Those that take longer can be checked one by one. */
const DELEGATIONS_MS = 3_000;

interface ListQuery {
  Querystring: { q?: string; state?: string; owner?: string; sort?: string; page?: string; size?: string };
}
interface DelegationsQuery {
  Querystring: { id?: string | string[] };
}

export function zonesPages(app: FastifyInstance, { context }: ConsoleParts): void {
  const isChecked = context.delegation?.look != null;

  app.get<ListQuery>('/zones', (request, reply) => showZones(context, isChecked, request, reply));

  // The list requests this once for all of its rows. A parent zone that does not answer delays no other row.
  app.get<DelegationsQuery>('/zones/delegations', async (request, reply) => {
    const ids = [...new Set([request.query.id ?? []].flat())].slice(0, Math.max(...SIZES));
    const actor = requireActor(request);
    const late = sleep(DELEGATIONS_MS, null);
    const statuses = await Promise.all(
      ids.map(async (id) => {
        const status = await Promise.race([readStatus(context, actor, id).catch(() => null), late]);
        return { id, status };
      }),
    );
    return showPage(request, reply, 'zones/delegations', { title: 'Delegations', statuses, isChecked });
  });

  app.get('/zones/new', async (request, reply) => newPage(request, reply));

  app.post('/zones', { config: { counts: 'zones' } }, async (request, reply) => {
    const typed = readTyped(request);
    return attemptForm(
      reply,
      ['zoneName', 'owner', 'defaultTtl', 'denial', 'comment', 'newKey', 'key'],
      async () => {
        const ttl = textField(typed, 'defaultTtl');
        const denial = textField(typed, 'denial');
        const [privateKey, dnskey] = [textField(typed, 'key'), textField(typed, 'dnskey')];
        const body = judge(zoneCreateBody, {
          zoneName: textField(typed, 'zoneName'),
          owner: textField(typed, 'owner'),
          ...(ttl === '' ? {} : { defaultTtl: Number(ttl) }),
          ...(denial === '' ? {} : { denial }),
          comment: textField(typed, 'comment'),
          newKey: textField(typed, 'newKey') === 'on',
          ...(privateKey + dnskey === '' ? {} : { key: { privateKey, dnskey } }),
        });
        const zone = await createZone(context, readCaller(request), body);
        // Without a check, only a parent zone here is known to delegate the zone.
        const isStepLeft = isChecked ? zone.status === 'ds_required' : !(await isParentHosted(context, zone.zoneName));
        return done(
          request,
          reply,
          withQuery(addressOfZone(zone.id), { next: isStepLeft ? 'delegation' : null }),
          `The zone ${zone.zoneName} was created${keyWords(zone.key)}.`,
        );
      },
      // No page shows a private key, also not to the person who typed it.
      (errors) => newPage(request, reply, { typed: { ...typed, key: '' }, errors }),
    );
  });
}

async function showZones(
  context: ServiceContext,
  isChecked: boolean,
  request: FastifyRequest<ListQuery>,
  reply: FastifyReply,
) {
  const { q = '', state = '', owner = '', sort, page, size } = request.query;
  const sorting = parseSorting(sort, ZONE_ORDERS);
  const teams = readVisitor(request).teams;
  const owners = [
    ...teams.map(({ teamId, teamName }) => [teamId, teamName] as const),
    ['personal', 'Personal'] as const,
  ];
  const listQuery = {
    q: q.trim(),
    state: state === 'active' || state === 'parked' ? (state as 'active' | 'parked') : undefined,
    owner: owners.find(([id]) => id === owner)?.[0],
    sort: sorting.text === ZONE_ORDERS[0] ? undefined : sorting.text,
    size: SIZES.find((each) => String(each) === size),
  };
  const [limit, here] = [listQuery.size ?? PAGE, parsePositive(page) ?? 1];
  const { zones, total } = await readZoneList(context, requireActor(request), {
    // The stored spelling is the only one that a zone has.
    text: listQuery.q === '' ? '' : (searchTexts(listQuery.q).at(-1) ?? ''),
    state: listQuery.state,
    owner: listQuery.owner,
    order: sorting.order,
    descending: sorting.descending,
    page: here,
    limit,
  });
  const names = new Map(owners.map(([id, name]) => [id === 'personal' ? id : `org:${id}`, name]));
  const query = { ...listQuery, size: listQuery.size === undefined ? undefined : String(listQuery.size) };
  const address = (other: Record<string, string | undefined>) => withQuery(ADDRESS, { ...query, ...other });
  const isLast = total !== null ? here * limit >= total : zones.length < limit;
  return showPage(request, reply, 'zones/list', {
    title: 'Zones',
    zones: zones.map(shownZone),
    ownerName: (owner: string) => names.get(owner) ?? owner,
    query: listQuery,
    owners,
    sizes: SIZES,
    size: limit,
    sort: sorting.text,
    sorts: sortChoices(sorting, SORTED, LARGEST_FIRST),
    heads: sortHeads(sorting, ZONE_ORDERS, {
      largestFirst: LARGEST_FIRST,
      addressOf: (order) => address({ sort: order === ZONE_ORDERS[0] ? undefined : order }),
    }),
    isFiltered: listQuery.q !== '' || listQuery.state !== undefined || listQuery.owner !== undefined,
    isChecked,
    total: total ?? 'more than 10,000',
    from: (here - 1) * limit + 1,
    pages: {
      first: here === 1 ? null : address({}),
      previous: here === 1 ? null : address(here === 2 ? {} : { page: String(here - 1) }),
      next: isLast ? null : address({ page: String(here + 1) }),
    },
  });
}

function newPage(request: FastifyRequest, reply: FastifyReply, again: { typed?: Typed; errors?: FormErrors } = {}) {
  const owners = readVisitor(request).teams.map(({ teamId, teamName }) => [`org:${teamId}`, teamName]);
  return showPage(request, reply, 'zones/new', {
    title: 'New zone',
    owners: [...owners, ['personal', 'Personal (only me)']],
    ...denialField,
    ...again,
  });
}

/** The words about the DNSSEC key of a new zone whose owner deleted an earlier zone of this name. */
function keyWords(key: Awaited<ReturnType<typeof createZone>>['key']): string {
  if (key.imported) return ` with the imported DNSSEC key ${key.keyTag}, so its DS records stay valid`;
  if (key.kept) return ` with the DNSSEC key ${key.keyTag} of the deleted zone, so its DS records stay valid`;
  return key.formerKeyTag === undefined ? '' : ` with a new DNSSEC key ${key.keyTag} instead of ${key.formerKeyTag}`;
}
