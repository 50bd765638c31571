// Applies an UPDATE message (RFC 2136) to a zone, as one change: prerequisites and changes see the same records, and no
// other change comes in between. Rights, rules, limits and history are those of a request to the REST API.
import { CLASS, type Message, nameText } from '#dns/message/message.ts';
import { isChallengeRecord } from '#dns/names/certified.ts';
import { MAX_TTL, MIN_TTL } from '#dns/record.ts';
import { inOneStep } from '#dns/steps.ts';
import { isRecordType, type RecordType } from '#dns/types/index.ts';
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import { addedBy, asksForSoa, evaluate, listUpdateNames, type UpdateRrset } from '#dns/update/apply.ts';
import { isFlaw, readUpdate, type Update } from '#dns/update/read.ts';
import type { Rcode } from '#dns/wire/rcodes.ts';
import { soaContent, type ZoneRow } from '#store/zones.ts';
import { mustWriteRecord } from '../accounts/actor.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { openRecordBudget, writesForRecords } from '../limits.ts';
import { mustTakeChanges } from '../read-only.ts';
import { editRrsets } from '../records/edit-rrsets.ts';
import type { CurrentRrsets, OwnedChange, RrsetPlan, RrsetResult, Touched } from '../records/rrsets.ts';
import { Refusal, refusal } from '../refusal.ts';
import { findZoneNamed } from '../zones/lookup.ts';
import { listNameservers } from '../zones/view.ts';

/** The answer to an update. */
export interface UpdateResult {
  rcode: Rcode;
  /** A sentence for people. Null: nothing is to be said. */
  text: string | null;
  /** The zone, and the names that got records; null if nothing could be changed. */
  added: { zoneId: string; names: readonly string[] } | null;
  /** The changes of records that have owners, which may revert them. */
  owned: readonly OwnedChange[];
}

const NOTHING = { added: null, owned: [] } as const;
/** The most prerequisites, and the most changes, of a message. */
const MAX_ENTRIES = 1_000;

/**
 * @param message with opcode UPDATE, and without its TSIG record
 * @param caller `once` has the MAC of the message, so that a replayed one gets the first answer and changes nothing
 * @param limit writes per minute of the key; null: none
 * @throws Refusal unauthorized, forbidden, conflict, bad_request, rate_limited, busy; nothing is written then
 */
export async function applyUpdate(
  context: ServiceContext,
  caller: Caller,
  message: Message,
  limit: number | null,
): Promise<UpdateResult> {
  mustTakeChanges(context);
  const [zoneEntry] = message.questions;
  if (zoneEntry === undefined || message.questions.length > 1 || zoneEntry.type !== TYPE_NUMBERS.SOA) {
    return { rcode: 'FORMERR', text: 'The zone section of an update has one entry, of type SOA.', ...NOTHING };
  }
  const zone =
    zoneEntry.class === CLASS.IN ? await findZoneNamed(context, caller.actor, nameText(zoneEntry.name)) : null;
  if (zone === null) {
    return { rcode: 'NOTAUTH', text: `This key reaches no zone ${nameText(zoneEntry.name)}.`, ...NOTHING };
  }
  const [prerequisites, changes] = message.sections;
  if (Math.max(prerequisites.length, changes.length) > MAX_ENTRIES) {
    throw refusal('update-too-long', { limit: MAX_ENTRIES });
  }
  const update = readUpdate(message, { labels: zoneEntry.name, name: zone.name });
  if (isFlaw(update)) {
    return { rcode: update.kind === 'outside' ? 'NOTZONE' : 'FORMERR', text: update.text, ...NOTHING };
  }
  mustReadPrerequisites(caller, zone, update);
  const budget =
    limit === null || changes.length === 0
      ? null
      : openRecordBudget(context, caller.actor, limit, countChallengeRrsets(update));
  await budget?.count(countWrites(update));
  try {
    const { answer, owned = [] } = await apply(context, caller, zone, update);
    const names = [...new Set(addedBy(update).map(({ name }) => name))];
    return { ...answer, owned, added: answer.rcode === 'NOERROR' ? { zoneId: zone.id, names } : null };
  } catch (error) {
    if (error instanceof Refusal && error.code === 'busy') await budget?.giveBack();
    throw error;
  }
}

/**
 * A key that is restricted to some names or types reads only those that it may write. Whether a name has records at all
 * may be asked about each name that it may write, because a refused write tells as much.
 * @throws Refusal forbidden
 */
function mustReadPrerequisites({ actor }: Caller, zone: ZoneRow, { prerequisites }: Update): void {
  for (const prerequisite of prerequisites) {
    const name = prerequisite.name ?? '';
    const type = ('type' in prerequisite ? prerequisite.type : (actor.onlyTypes?.[0] ?? 'TXT')) as RecordType;
    mustWriteRecord(actor, zone.id, { name, type });
  }
}

/** A write for each RRset that the changes name, and one more for every further 100 of its records. */
function countWrites({ changes }: Update): number {
  const rrsets = new Map<string, number>();
  for (const change of changes) {
    const place = change.kind === 'refused' ? '' : formatPlace(change);
    rrsets.set(place, (rrsets.get(place) ?? 0) + 1);
  }
  return [...rrsets.values()].reduce((sum, records) => sum + writesForRecords(records), 0);
}

/** How many of the RRsets that the changes name are those of challenges. */
function countChallengeRrsets({ changes }: Update): number {
  const places = new Set<string>();
  for (const change of changes) {
    if (change.kind === 'refused') continue;
    if (isChallengeRecord(change.kind === 'add' ? change.record : change)) places.add(formatPlace(change));
  }
  return places.size;
}

function formatPlace(change: Exclude<Update['changes'][number], { kind: 'refused' }>): string {
  if (change.kind === 'add') return `${change.record.name} ${change.record.type}`;
  return `${change.name} ${'type' in change ? change.type : '*'}`;
}

/** The names and types that the changes name, each once. */
function touchedBy({ changes }: Update): Touched[] {
  const touches = new Map<string, Touched>();
  for (const change of changes) {
    if (change.kind === 'refused' || change.kind === 'add-own') continue;
    const { name, type } = change.kind === 'add' ? change.record : { type: null, ...change };
    // The service keeps its own NS records of the apex, so that no change of them touches anything.
    if (name === null || (type !== null && !isRecordType(type)) || (name === '@' && type === 'NS')) continue;
    touches.set(`${name} ${type}`, { name, type });
  }
  return [...touches.values()];
}

type Answer = Omit<UpdateResult, 'added' | 'owned'>;

async function apply(
  context: ServiceContext,
  caller: Caller,
  zone: ZoneRow,
  update: Update,
): Promise<RrsetResult<Answer>> {
  const soa = asksForSoa(update) ? await soaContent(context.db, zone.serial) : null;
  const nameservers = listNameservers(zone, context.nameservers);
  const plan = ({ zone: { defaultTtl }, at }: CurrentRrsets): RrsetPlan<Answer> | Refusal => {
    const evaluation = evaluate(update, {
      defaultTtl,
      at: (name) => at(name) as readonly UpdateRrset[],
      soa,
      nameservers,
    });
    if (evaluation.kind === 'refused') return refusal('update-refused', { problem: evaluation.text });
    if (evaluation.kind === 'unmet') return { rrsets: [], answer: { rcode: evaluation.rcode, text: evaluation.text } };
    return { rrsets: evaluation.rrsets, answer: { rcode: 'NOERROR', text: update.clamped ? CLAMPED : null } };
  };
  const edit = {
    names: listUpdateNames(update),
    candidates: addedBy(update),
    touches: touchedBy(update),
    namesOwners: true,
    plan: (current: CurrentRrsets) => inOneStep(() => plan(current)),
  };
  // A message without changes cannot change anything when it is replayed.
  const once = update.changes.length === 0 ? null : caller.once;
  return editRrsets(context, { ...caller, once }, zone.id, edit, null);
}

const CLAMPED = `A TTL was moved into the range of the service, ${MIN_TTL} to ${MAX_TTL} seconds.`;
