// Health checks of a team or person: the list, one with its addresses, and their changes. The checker probes
// (checker.ts). A key that may write all records of the owner may write its checks: both decide about answers.
import { isSameDefinition, MAX_STATE_CHANGES } from '#base/check-form.ts';
import { writeFew } from '#base/few.ts';
import type { CheckDefinition } from '#base/probes/definition.ts';
import { type AccountChange, insertAccountChange } from '#store/account-changes.ts';
import { listCheckChanges } from '#store/check-changes.ts';
import { type CheckCounts, countByCheck } from '#store/check-counts.ts';
import { dropSignals, listSignals } from '#store/check-signals.ts';
import { listTargets } from '#store/check-targets.ts';
import { type CheckRow, countChecks, deleteCheckRow, listChecks, writeCheck } from '#store/checks.ts';
import type { Tx } from '#store/database.ts';
import { keyStanding } from '#store/keys.ts';
import { lockOwnerQuota } from '#store/quotas.ts';
import { accountHistory } from '../accounts/account.ts';
import { type Actor, readableOnly } from '../accounts/actor.ts';
import { toOwnerId, toOwnerIds, writeOwner } from '../accounts/owner-text.ts';
import { once } from '../change/once.ts';
import { keyRevoked } from '../change/standing.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { readAfterChange } from '../outage.ts';
import { type Refusal, refusal } from '../refusal.ts';
import { type CheckView, type ListedCheck, toChangeView, toSignalView, toTargetView, writeRevision } from './view.ts';
import { readVoteCounts } from './vote-counts.ts';

/** The most checks of a team or person. */
const MAX_CHECKS = 1_000;
/** The most addresses in an answer about one check. */
const MAX_SHOWN = 1_000;

/** By name. @throws Refusal forbidden, bad_request (owner) */
export async function readChecks(
  context: ServiceContext,
  actor: Actor,
  ownerText: string | undefined,
): Promise<ListedCheck[]> {
  mustHaveAllRecords(actor, 'read');
  return listViews(context, actor, toOwnerIds(actor, ownerText), null);
}

/** Those with an address that does not work. Empty if the actor may not list checks. */
export async function readFailingChecks(context: ServiceContext, actor: Actor): Promise<ListedCheck[]> {
  if (!hasAllRecords(actor, 'read')) return [];
  const checks = await listViews(context, actor, toOwnerIds(actor, undefined), null);
  return checks.filter(({ counts }) => counts.unhealthy > 0);
}

async function listViews(
  context: ServiceContext,
  actor: Actor,
  owners: readonly string[],
  name: string | null,
): Promise<ListedCheck[]> {
  const [rows, counted] = [await listChecks(context.db, owners, name), await countByCheck(context.db, owners, name)];
  const keyOf = (owner: string, checkName: string) => JSON.stringify([owner, checkName]);
  const byCheck = new Map(counted.map((counts) => [keyOf(counts.owner, counts.checkName), counts]));
  return rows.map((row) => toListed(actor, row, byCheck.get(keyOf(row.owner, row.name))));
}

/** @throws Refusal forbidden, bad_request (several owners have one), not_found with the checks that there are */
export async function readCheck(
  context: ServiceContext,
  actor: Actor,
  name: string,
  ownerText: string | undefined,
): Promise<CheckView> {
  mustHaveAllRecords(actor, 'read');
  return toCheckView(context, actor, await findCheck(context, actor, name, ownerText));
}

/**
 * Creates the check, or replaces its definition.
 * @throws Refusal forbidden (rights, quota), bad_request (owner), unauthorized, busy
 */
export async function putCheck(
  context: ServiceContext,
  caller: Caller,
  name: string,
  ownerText: string | undefined,
  definition: CheckDefinition,
): Promise<CheckView> {
  const { actor } = caller;
  mustHaveAllRecords(actor, 'write');
  const owner = toOwnerId(actor, ownerText ?? (actor.user === null ? `org:${actor.teamId}` : 'personal'));
  await changeChecks(context, caller, owner, async (tx) => {
    // One change at a time counts the checks of the owner.
    await lockOwnerQuota(tx, { teamId: owner === actor.user?.id ? null : owner, userId: owner });
    const [row] = await listChecks(tx, [owner], name);
    if (row === undefined && (await countChecks(tx, owner)) >= MAX_CHECKS)
      throw refusal('too-many-checks', { limit: MAX_CHECKS });
    if (row !== undefined && isSameDefinition(row.definition as CheckDefinition, definition))
      return { answer: null, change: null };
    const before = await writeCheck(tx, owner, name, definition);
    if (definition.type !== 'signal') await dropSignals(tx, owner, name);
    return { answer: null, change: { action: 'check.put', subject: name, before, after: definition } };
  });
  return readAfterChange(async () => {
    const row = await findCheck(context, actor, name, writeOwner(actor, owner));
    return toCheckView(context, actor, row);
  });
}

/** @throws Refusal conflict (records name it), and as readCheck and putCheck */
export async function removeCheck(
  context: ServiceContext,
  caller: Caller,
  name: string,
  ownerText: string | undefined,
): Promise<void> {
  mustHaveAllRecords(caller.actor, 'write');
  const { owner } = await findCheck(context, caller.actor, name, ownerText);
  await changeChecks(context, caller, owner, async (tx) => {
    const { before, records } = await deleteCheckRow(tx, owner, name);
    if (records > 0) throw refusal('check-in-use', { name, records: records < 1_000 ? records : '1000 or more' });
    const change = { action: 'check.delete', subject: name, before, after: null } as const;
    return { answer: null, change: before === null ? null : change };
  });
}

interface CheckOutcome<T> {
  answer: T;
  /** The history entry. Null: nothing changed. */
  change: Pick<AccountChange, 'action' | 'subject' | 'before' | 'after'> | null;
}

/** Runs one change of the checks of an owner, with its history entry. */
export async function changeChecks<T>(
  context: ServiceContext,
  caller: Caller,
  owner: string,
  work: (tx: Tx) => Promise<CheckOutcome<T>>,
): Promise<T> {
  const { actor } = caller;
  const teamId = owner === actor.user?.id ? null : owner;
  const mustAct = async (tx: Tx) => {
    const { valid, member } = await keyStanding(tx, actor.keyId, { teamId }, context.now());
    if (!valid) throw keyRevoked();
    if (teamId !== null && !member) throw refusal('foreign-owner');
  };
  const run = async (tx: Tx) => {
    const { answer, change } = await work(tx);
    // Asked after the wait for the row, during which the key may have been revoked.
    await mustAct(tx);
    if (change !== null) await insertAccountChange(tx, { ...change, ...accountHistory(caller, teamId, context.now()) });
    return answer;
  };
  return once(context, caller, run, mustAct);
}

/** @throws Refusal forbidden */
export function mustHaveAllRecords(actor: Actor, verb: 'read' | 'write'): void {
  if (hasAllRecords(actor, verb)) return;
  throw refusal('checks-need-all-records', { verb });
}

/** Whether a key may read or write the checks of its owner. */
export function hasAllRecords(actor: Actor, verb: 'read' | 'write'): boolean {
  const isEnough = verb === 'read' ? actor.records !== 'none' : actor.records === 'write';
  return isEnough && readableOnly(actor) === null;
}

/**
 * @param mayName the checks that a refusal may name
 * @throws Refusal as readCheck
 */
export async function findCheck(
  context: ServiceContext,
  actor: Actor,
  name: string,
  ownerText: string | undefined,
  mayName: (name: string) => boolean = () => true,
): Promise<CheckRow> {
  const owners = toOwnerIds(actor, ownerText);
  const [first, ...others] = await listChecks(context.db, owners, name);
  if (first === undefined) throw unknownCheck(name, await listChecks(context.db, owners, null), mayName);
  if (others.length === 0) return first;
  const texts = [first, ...others].map(({ owner }) => writeOwner(actor, owner));
  throw refusal('check-of-several', { name, owners: texts.join(', ') });
}

const LISTED = 20;

function unknownCheck(name: string, rows: readonly CheckRow[], mayName: (name: string) => boolean): Refusal {
  const names = [...new Set(rows.map((row) => row.name))].filter(mayName);
  const known = names.length === 0 ? 'no check has been created' : `the existing checks are ${writeFew(names, LISTED)}`;
  return refusal('no-check', { name, known });
}

async function toCheckView(context: ServiceContext, actor: Actor, row: CheckRow): Promise<CheckView> {
  const place = { owner: row.owner, checkName: row.name };
  const [[counts], targets, votes, changes, signals] = await Promise.all([
    countByCheck(context.db, [row.owner], row.name),
    listTargets(context.db, row.owner, [row.name], MAX_SHOWN),
    readVoteCounts(context.db, row),
    listCheckChanges(context.db, place, MAX_STATE_CHANGES),
    listSignals(context.db, row.owner, row.name, MAX_SHOWN),
  ]);
  return {
    ...toListed(actor, row, counts),
    targets: targets.map((target) => toTargetView(target, votes.get(target.address) ?? null)),
    changes: changes.map(toChangeView),
    signals: signals.map(toSignalView),
  };
}

function toListed(actor: Actor, row: CheckRow, counts: CheckCounts | undefined): ListedCheck {
  const { name, owner, createdAt, updatedAt } = row;
  const definition = row.definition as CheckDefinition;
  const times = { createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() };
  const { healthy = 0, unhealthy = 0, unknown = 0, digest = '' } = counts ?? {};
  const revision = writeRevision(definition, digest);
  const states = { healthy, unhealthy, unknown };
  return { name, owner: writeOwner(actor, owner), definition, counts: states, revision, ...times };
}
