// Creates a zone from the body of a POST, with its records, in one transaction: a crash or a refusal leaves nothing
// behind.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseZoneName } from '#dns/names/name.ts';
import { clampTtl } from '#dns/record.ts';
import { finishInTurns } from '#dns/steps.ts';
import { readCaller } from '#http/hooks/auth.ts';
import { whenClientLeaves } from '#http/hooks/leaving.ts';
import type { Actor } from '#service/accounts/actor.ts';
import type { WriteBudget } from '#service/change/write-budget.ts';
import type { Caller, ServiceContext } from '#service/context.ts';
import { openBudget, windowHolder, writesForRecords } from '#service/limits.ts';
import { firstRrsets } from '#service/records/edit-rrsets.ts';
import { insist, Refusal } from '#service/refusal.ts';
import { withFirstRecords } from '#service/zonefile/import.ts';
import { withClientSettings } from '#service/zones/client-settings.ts';
import { createZone, type FirstRecords } from '#service/zones/create.ts';
import { readZoneNamed } from '#service/zones/lookup.ts';
import type { ZoneView } from '#service/zones/view.ts';
import { type Note, sendNotes } from '../answer-notes.ts';
import { ownRrsets } from '../answer-views.ts';
import { buildPowerDnsEdit } from '../plan.ts';
import { type Fields, readListField, refused, requireFields, requireText, shown, toLowerText } from '../read-fields.ts';
import { isZoneSoa, readRrsets } from '../read-rrsets.ts';
import { readDenial, readSettings } from '../read-settings.ts';

/** The record writes of a key in its window; null: no limit. */
export type RecordLimit = (actor: Actor) => number | null;

/** @throws Refusal; there is no new zone then */
export async function createFromBody(
  context: ServiceContext,
  request: FastifyRequest,
  reply: FastifyReply,
  limit: RecordLimit,
): Promise<ZoneView> {
  const fields = requireFields(request.body, 'The body');
  const name = requireText(fields, 'name', 'The zone');
  // Terraform providers send false for a zone whose signatures the configuration does not mention.
  const settings = readSettings({ ...fields, dnssec: true });
  mustHaveOurNameservers(fields, context.nameservers);
  const caller = { ...readCaller(request), once: null };
  const { records, notes } = await readFirstRecords(fields, name, context);
  const most = limit(caller.actor);
  const budget = most === null ? null : openBudget(context, windowHolder(caller.actor, 'records'), 'records', most);
  const zone = { zoneName: name, owner: pickOwner(fields, caller.actor), denial: readDenial(fields) };
  const create = (first?: FirstRecords) => createZone(context, caller, zone, withClientSettings(settings, first));
  try {
    const creation = { context, caller, budget, create, signal: whenClientLeaves(reply) };
    const { zoneName } = await (records === null ? create() : records(creation));
    sendNotes(reply, notes);
    return readZoneNamed(context, caller.actor, zoneName);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'busy') await budget?.giveBack();
    throw error;
  }
}

/**
 * The team of the key. A person's zone is personal, unless the field "account" has the owner in the form of the REST
 * API.
 */
function pickOwner({ account }: Fields, { teamId }: Actor): string | undefined {
  if (teamId !== null) return `org:${teamId}`;
  return typeof account === 'string' && account.startsWith('org:') ? account : undefined;
}

interface Creation {
  context: ServiceContext;
  caller: Caller;
  budget: WriteBudget | null;
  create(first: FirstRecords): Promise<ZoneView>;
  /** Aborts when the client closes the connection. */
  signal: AbortSignal;
}

/** Creates the zone with its records. */
type CreateWithRecords = (creation: Creation) => Promise<ZoneView>;

interface FirstRequest {
  /** Null: the request has no records. */
  records: CreateWithRecords | null;
  /** Filled while the records are read. */
  notes: Set<Note>;
}

/** @throws Refusal */
async function readFirstRecords(fields: Fields, name: string, context: ServiceContext): Promise<FirstRequest> {
  const notes = new Set<Note>();
  const rrsets = readListField(fields, 'rrsets', 'the zone') ?? [];
  const canonical = insist(parseZoneName(name));
  const { zone: file = null } = fields;
  if (file !== null) {
    if (typeof file !== 'string')
      throw refused(`The field "zone" must be a zone file as a text, and not ${shown(file)}.`);
    if (rrsets.length > 0) throw refused('A new zone has either the field "rrsets" or the field "zone"; send one.');
    const reviseTtl = (seconds: number) => {
      const clamped = clampTtl(seconds);
      if (clamped !== seconds) notes.add('clamped');
      return clamped;
    };
    const records: CreateWithRecords = ({ caller, budget, create, signal }) => {
      const count = async (changes: number) => budget?.count(changes);
      return withFirstRecords(context, caller, canonical, file, { count, signal, reviseTtl }, create);
    };
    return { records, notes };
  }
  // The serial of the new zone is not known yet, so its SOA is the service's to make.
  const ownNsRrsets = ownRrsets({ nameservers: context.nameservers }, '').filter(({ type }) => type === 'NS');
  const rrsetsWithoutSoa = rrsets.filter((each) => !isZoneSoa(each, canonical));
  const { changes, isClamped } = await finishInTurns(readRrsets(rrsetsWithoutSoa, canonical, ownNsRrsets, 'REPLACE'));
  if (isClamped) notes.add('clamped');
  if (rrsetsWithoutSoa.length < rrsets.length) notes.add('soa');
  if (changes.length === 0) return { records: null, notes };
  const records: CreateWithRecords = async ({ caller, budget, create }) => {
    await budget?.count(changes.reduce((sum, { records: each }) => sum + writesForRecords(each?.length ?? 0), 0));
    return create(firstRrsets(context, caller, buildPowerDnsEdit(changes)));
  };
  return { records, notes };
}

/** @throws Refusal */
function mustHaveOurNameservers(fields: Fields, ownNameservers: readonly string[]): void {
  const list = readListField(fields, 'nameservers', 'the zone') ?? [];
  const requestedNameservers = list.map((each) => toLowerText(each).replace(/\.$/, ''));
  const isSame =
    requestedNameservers.length === ownNameservers.length &&
    requestedNameservers.every((each) => ownNameservers.includes(each));
  if (requestedNameservers.length === 0 || isSame) return;
  throw refused(
    `The name servers of a zone are those of the service (${ownNameservers.map((host) => `${host}.`).join(', ')}): send these, or an empty "nameservers".`,
  );
}
