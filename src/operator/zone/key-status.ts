// The DNSSEC keys and the key roll of a zone in the status of its DNSZone: the fields, the condition KeysRolling, and
// the Events for changes. Pure. The same keys give the same bytes, so that a look that saw nothing new writes
// nothing.
import { whole } from '#client/zone-nodes.ts';
import type { ZoneKeys } from '#contract/zone-keys.ts';
import { algorithmName, isSigningAlgorithm } from '#dns/dnssec/algorithms.ts';
import type { EventToRecord } from '#kube/events/events.ts';
import type { Condition } from '#kube/objects/conditions.ts';
import { kubeTime } from '#kube/objects/conditions.ts';
import type { ZoneStatus } from '#resources/dnszone.ts';
import { writeKeyState } from '#resources/dnszone-status.ts';
import type { EventReason } from '#resources/reasons.ts';
import type { KeysRollingAnswer } from '../run/conditions.ts';
import type { RolloverCause, RolloverDecision } from './key-rollover.ts';

/** A step that has waited for this time is reported, in ms. The alert ZonesteadKeyRollWaits has the same time. */
export const STUCK_MS = 3 * 86_400_000;
const LONGEST_TEXT = 512;

export type KeyFields = Pick<ZoneStatus, 'keys' | 'keyRoll'>;
type KeyRoll = NonNullable<KeyFields['keyRoll']>;

export function showKeys({ keys, roll }: ZoneKeys): KeyFields {
  return {
    keys: keys.map(({ keyTag, algorithm, state, createdAt, rollCancelledAt }) => ({
      keyTag,
      algorithm,
      state: writeKeyState(state),
      createdTime: whole(createdAt),
      ...(rollCancelledAt === null ? {} : { rollCancelledTime: whole(rollCancelledAt) }),
    })),
    keyRoll: roll === null ? undefined : showRoll(roll),
  };
}

function showRoll({ keyTag, step, since, waitsFor, nextStepAt }: NonNullable<ZoneKeys['roll']>): KeyRoll {
  return {
    keyTag,
    step: writeKeyState(step),
    since: whole(since),
    waitsFor: waitsFor.slice(0, LONGEST_TEXT).toWellFormed(),
    ...(nextStepAt === null ? {} : { nextStepTime: whole(nextStepAt) }),
  };
}

/** Whether two statuses show the same keys and the same roll. */
export function isSameKeys(one: KeyFields | undefined, other: KeyFields): boolean {
  return listWords(one) === listWords(other);
}

function listWords(fields: KeyFields | undefined): string {
  const { keys = [], keyRoll } = fields ?? {};
  return JSON.stringify([
    keys.map((key) => [key.keyTag, key.algorithm, key.state, key.createdTime, key.rollCancelledTime]),
    keyRoll && [keyRoll.keyTag, keyRoll.step, keyRoll.since, keyRoll.waitsFor, keyRoll.nextStepTime],
  ]);
}

/** @param decision on the keys as they are */
export function judgeKeys({ keyRoll }: KeyFields, decision: RolloverDecision, now: Date): KeysRollingAnswer {
  if (keyRoll !== undefined) {
    const waits = now.getTime() - Date.parse(keyRoll.since) >= STUCK_MS;
    const stuck = waits ? ' It has waited for more than three days; the zone is valid meanwhile.' : '';
    return {
      status: 'True',
      reason: waits ? 'RollWaits' : 'RollUnderWay',
      message: `${writeStep(keyRoll)} The roll waits for ${keyRoll.waitsFor}.${stuck}`,
    };
  }
  if (decision.kind === 'begin') {
    const message = 'The operator begins the roll that spec.keyRollover asks for when the zone is Ready.';
    return { status: 'False', reason: 'NotRolling', message };
  }
  const next = decision.until === null ? '' : ` The next one begins at ${kubeTime(decision.until)}.`;
  if (decision.kind === 'rest')
    return { status: 'False', reason: 'NotRolling', message: `No key roll is under way.${next}` };
  const another = next === '' ? 'For another one, set spec.keyRollover.requestedAt to a later time.' : next.trim();
  const message = `A person cancelled the key roll at ${kubeTime(decision.cancelledAt)}, and spec.keyRollover does not begin it again. ${another}`;
  return { status: 'False', reason: 'RollCancelled', message };
}

const PARENT = 'The parent zone must have the DS records of status.ds and no others.';

/** Sentences about the present step. */
function writeStep({ keyTag, step, since }: Pick<KeyRoll, 'keyTag' | 'step' | 'since'>): string {
  const sentence = `Key ${keyTag} is ${step} since ${since}.`;
  return step === 'Ready' || step === 'Withdrawn' ? `${sentence} ${PARENT}` : sentence;
}

/** The keys as a status has them, with the condition KeysRolling. */
export interface SeenKeys extends KeyFields {
  readonly condition: Pick<Condition, 'reason' | 'message'> | undefined;
}

/**
 * @param before undefined: the status is about another zone, or about none
 * @param cause the field for which the operator has just begun the roll; null: it did not
 */
export function listKeyEvents(
  before: SeenKeys | undefined,
  after: SeenKeys,
  cause: RolloverCause | null,
): EventToRecord<EventReason>[] {
  const was = before ?? { keys: [], condition: undefined };
  const events: EventToRecord<EventReason>[] = [];
  const say = (reason: EventReason, note: string, type: 'Normal' | 'Warning' = 'Normal') =>
    void events.push({ type, reason, action: 'RollKey', note });
  const cancelled = findCancelled(was, after);
  const isBegun = isNewRoll(was, after);
  if (was.keyRoll !== undefined && (after.keyRoll === undefined || isBegun) && isFinished(was, after))
    say('KeyRollFinished', `The key roll has ended: ${writeTags(after)} signs the zone`);
  if (cancelled !== null) say('KeyRollCancelled', cancelled);
  if (after.keyRoll !== undefined) {
    const { keyRoll } = after;
    if (isBegun) say('KeyRollBegun', `${writeBeginning(after, cause)} ${writeStep(keyRoll)}`);
    else if (was.keyRoll?.step !== keyRoll.step || was.keyRoll.keyTag !== keyRoll.keyTag)
      say('KeyRollStep', writeStep(keyRoll));
  }
  const { reason, message = '' } = after.condition ?? {};
  if (reason === was.condition?.reason) return events;
  if (reason === 'RollWaits') say('KeyRollWaits', message, 'Warning');
  if (reason === 'RollRefused') say('KeyRollRefused', message, 'Warning');
  return events;
}

function isNewRoll({ keys = [], keyRoll }: SeenKeys, after: SeenKeys): boolean {
  if (after.keyRoll === undefined) return false;
  return keyRoll === undefined || !keys.some(({ keyTag }) => keyTag === after.keyRoll?.keyTag);
}

/** A finished roll has taken the oldest key; a cancelled one has not. */
function isFinished({ keys: [oldest] = [] }: SeenKeys, { keys = [] }: SeenKeys): boolean {
  return oldest !== undefined && !keys.some(({ keyTag }) => keyTag === oldest.keyTag);
}

/** The note about a cancelled roll; null: none was cancelled since. */
function findCancelled({ keys: keysBefore = [] }: SeenKeys, { keys = [] }: SeenKeys): string | null {
  const key = keys.find(({ keyTag, rollCancelledTime }) => {
    const same = keysBefore.find((each) => each.keyTag === keyTag);
    return same !== undefined && rollCancelledTime !== undefined && rollCancelledTime !== same.rollCancelledTime;
  });
  return key === undefined
    ? null
    : `A person cancelled the key roll at ${key.rollCancelledTime}. Key ${key.keyTag} stays`;
}

function writeBeginning({ keys = [], keyRoll }: SeenKeys, cause: RolloverCause | null): string {
  const coming = keys.find(({ keyTag }) => keyTag === keyRoll?.keyTag);
  const name =
    coming !== undefined && isSigningAlgorithm(coming.algorithm) ? ` (${algorithmName(coming.algorithm)})` : '';
  const why = cause === null ? '' : `, because spec.keyRollover.${cause} asks for it`;
  return `A key roll to key ${keyRoll?.keyTag}${name} has begun${why}.`;
}

function writeTags({ keys = [] }: SeenKeys): string {
  return `key ${keys.map(({ keyTag }) => keyTag).join(' and ')}`;
}
