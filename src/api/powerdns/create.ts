// Creates a zone from the body of a POST, with its records, in one transaction: a crash or a refusal leaves nothing behind.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseZoneName } from '#dns/names/name.ts';
import type { Actor } from '#service/accounts/actor.ts';
import type { Caller, ServiceContext } from '#service/context.ts';
import { countWrite, uncountWrite } from '#service/limits.ts';
import { firstRrsets } from '#service/records/edit-rrsets.ts';
import type { Places } from '#service/records/places.ts';
import { insist, Refusal } from '#service/refusal.ts';
import { withFirstRecords } from '#service/zonefile/import.ts';
import { createZone, type FirstRecords } from '#service/zones/create.ts';
import { type NamedZone, zoneNamed } from '#service/zones/named.ts';
import type { ZoneView } from '#service/zones/view.ts';
import { callerOf } from '../hooks/auth.ts';
import { whenClientLeaves } from '../hooks/leaving.ts';
import { workOf } from './plan.ts';
import { type ReadRrsets, readRrsets } from './read-rrsets.ts';
import { type Fields, fieldsOf, listOf, refused, shown, textOf } from './values.ts';
import { ownRrsets } from './views.ts';
import { mustBePossible } from './zone-settings.ts';

/** The record writes of a key in its window; null: no limit. */
export type RecordLimit = (actor: Actor) => number | null;

/** @throws Refusal; there is no new zone then */
export async function createFromBody(
  context: ServiceContext,
  request: FastifyRequest,
  reply: FastifyReply,
  limit: RecordLimit,
): Promise<NamedZone> {
  const fields = fieldsOf(request.body, 'The body');
  const name = textOf(fields, 'name', 'The zone');
  // Terraform providers send false for a zone about whose signatures nobody said anything.
  mustBePossible({ ...fields, dnssec: true });
  mustHaveOurNameservers(fields, context.nameservers);
  const caller = { ...callerOf(request), once: null };
  const records = recordsOf(fields, name, context);
  const places = placesOf(context, caller, limit);
  const zone = { zoneName: name, owner: ownerOf(fields, caller.actor) };
  const create = (first?: FirstRecords) => createZone(context, caller, zone, first);
  try {
    const creation = { context, caller, places, create, signal: whenClientLeaves(reply) };
    const { zoneName } = await (records === null ? create() : records(creation));
    return zoneNamed(context, caller.actor, zoneName);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'busy') await places?.giveBack();
    throw error;
  }
}

/** The team of the key. A person's zone is personal, unless the field "account" has the owner in the form of the REST API. */
function ownerOf({ account }: Fields, { teamId }: Actor): string | undefined {
  if (teamId !== null) return `org:${teamId}`;
  return typeof account === 'string' && account.startsWith('org:') ? account : undefined;
}

interface Creation {
  context: ServiceContext;
  caller: Caller;
  places: Places | null;
  create(first: FirstRecords): Promise<ZoneView>;
  /** Aborts when the client closes the connection. */
  signal: AbortSignal;
}

/** Creates the zone with its records. */
type CreateWithRecords = (creation: Creation) => Promise<ZoneView>;

/** Null: the request has no records. @throws Refusal */
function recordsOf(fields: Fields, name: string, context: ServiceContext): CreateWithRecords | null {
  const rrsets = listOf(fields, 'rrsets', 'the zone') ?? [];
  const canonical = insist(parseZoneName(name));
  const { zone: file = null } = fields;
  if (file !== null) {
    if (typeof file !== 'string')
      throw refused(`The field "zone" must be a zone file as a text, and not ${shown(file)}.`);
    if (rrsets.length > 0) throw refused('A new zone has either the field "rrsets" or the field "zone"; send one.');
    return ({ caller, places, create, signal }) => {
      const count = async (changes: number) => places?.take(changes);
      return withFirstRecords(context, caller, canonical, file, { count, signal }, create);
    };
  }
  // The serial of the new zone is not known yet, so its SOA is the service's to make.
  const own = ownRrsets({ nameservers: context.nameservers }, '').filter(({ type }) => type === 'NS');
  const ours = rrsets.filter((each) => !isSoaOf(each, canonical));
  const { changes }: ReadRrsets = readRrsets(ours, canonical, own, 'REPLACE');
  if (changes.length === 0) return null;
  return async ({ caller, places, create }) => {
    await places?.take(changes.length);
    return create(firstRrsets(context, caller, workOf(changes)));
  };
}

/** Clients copy the SOA of another server. The service makes its own. */
function isSoaOf(value: unknown, zone: string): boolean {
  const { name, type } = (value ?? {}) as { name?: unknown; type?: unknown };
  return String(type).toUpperCase() === 'SOA' && String(name).toLowerCase().replace(/\.$/, '') === zone;
}

/** @throws Refusal */
function mustHaveOurNameservers(fields: Fields, ours: readonly string[]): void {
  const list = listOf(fields, 'nameservers', 'the zone') ?? [];
  const asked = list.map((each) => String(each).toLowerCase().replace(/\.$/, ''));
  const isSame = asked.length === ours.length && asked.every((each) => ours.includes(each));
  if (asked.length === 0 || isSame) return;
  throw refused(
    `The name servers of a zone are those of the service (${ours.map((host) => `${host}.`).join(', ')}): send these, or an empty "nameservers".`,
  );
}

interface ReturnablePlaces extends Places {
  giveBack(): Promise<void>;
}

function placesOf(context: ServiceContext, { actor }: Caller, limit: RecordLimit): ReturnablePlaces | null {
  const most = limit(actor);
  if (most === null) return null;
  const counted: string[] = [];
  const places: ReturnablePlaces = {
    taken: 0,
    take: async (wanted) => {
      const taken = await countWrite(context, actor, 'records', most, wanted, places.taken);
      if (taken === null) return;
      counted.push(taken.at);
      places.taken = taken.places;
    },
    giveBack: async () => {
      for (const at of counted) await uncountWrite(context, actor, 'records', at);
    },
  };
  return places;
}
