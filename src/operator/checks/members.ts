// The addresses of a DNSRecord with a check, as its status shows them: members, the condition Healthy, and Events about
// the changes. Pure.
import { writeFew } from '#base/few.ts';
import type { TargetView } from '#contract/checks.ts';
import type { ListedRecord } from '#contract/record.ts';
import { chooseServedTtl, type Member, pickServed } from '#dns/members.ts';
import type { EventToRecord } from '#kube/events/events.ts';
import type { RecordMember } from '#resources/dnsrecord.ts';
import { MAX_MEMBERS } from '#resources/health-check.ts';
import type { EventReason } from '#resources/reasons.ts';
import { identityOfRecord } from '../record/apply.ts';
import type { DesiredValue } from '../record/desired.ts';
import { type HealthyAnswer, healthy, unhealthy, unknownHealth } from '../run/conditions.ts';

/** So many members are named in a message; more would make it unreadable. */
const MAX_NAMED = 10;
/** Characters of a reason in the status, which the CRD limits, and in a message. */
const MAX_REASON = 512;
const MAX_NAMED_REASON = 250;

export interface MemberFacts {
  readonly values: readonly DesiredValue[];
  /** All records of the name and type, also those of other owners. */
  readonly records: readonly ListedRecord[];
  /** Undefined: not read yet. */
  readonly targets: readonly TargetView[] | undefined;
  /** Whether the zone is parked, so that name servers answer for its apex only. */
  readonly isParked: boolean;
  /** Why nothing is known about the addresses, if it is not the reason of the service. */
  readonly unknownReason?: string | undefined;
}

/** All of them, in the order of the spec. */
export function listMembers({ values, records, targets = [], isParked, unknownReason }: MemberFacts): RecordMember[] {
  const servedIdentities = new Set(isParked ? [] : pickServed(records.map(asMember)).map(identityOfRecord));
  const recordByIdentity = new Map(records.map((record) => [identityOfRecord(record), record]));
  const targetByAddress = new Map(targets.map((target) => [target.address, target]));
  return values.map(({ content, identity, tier }) => ({
    content,
    tier,
    ...explained(
      stateOf(targetByAddress.get(content), recordByIdentity.get(identity)?.failing === true),
      unknownReason,
    ),
    served: servedIdentities.has(identity),
  }));
}

/** As status.members has them: those that do not work come first if there are too many. */
export function shownMembers(members: readonly RecordMember[]): RecordMember[] {
  if (members.length <= MAX_MEMBERS) return [...members];
  const isDown = ({ state }: RecordMember) => Number(state !== 'Unhealthy');
  return members.toSorted((one, other) => isDown(one) - isDown(other)).slice(0, MAX_MEMBERS);
}

type State = Pick<RecordMember, 'state' | 'since' | 'reason'>;

function stateOf(target: TargetView | undefined, isFailing: boolean): State {
  if (target === undefined) return { state: isFailing ? 'Unhealthy' : 'Unknown' };
  const { state, reason, since, pin } = target;
  // Without the key that pinned it: the DNSRecord may be in the namespace of another tenant.
  if (pin !== null) {
    const words = `A person pinned the address as ${pin.state} until ${pin.until}: ${pin.reason}`;
    return { state: pin.state, since: toSeconds(since), reason: words.slice(0, MAX_REASON) };
  }
  return { state, since: toSeconds(since), ...(reason === null ? {} : { reason: reason.slice(0, MAX_REASON) }) };
}

function explained(state: State, unknownReason: string | undefined): State {
  return state.state !== 'Unknown' || unknownReason === undefined ? state : { ...state, reason: unknownReason };
}

/** A record of a list, as the rule of the members takes it. */
export function asMember(record: ListedRecord): ListedRecord & Member {
  return record;
}

/** The TTL with which name servers answer a record. */
export function servedTtl(record: ListedRecord): number {
  const { ttl, check, weight } = record;
  return chooseServedTtl(ttl, {
    ...(check === undefined ? {} : { check }),
    ...(weight === undefined ? {} : { weight }),
  });
}

const toSeconds = (time: string) => `${time.slice(0, 19)}Z`;

/** The condition Healthy. Ready does not include it. */
export function judgeHealthy(members: readonly RecordMember[], whenAllFail: 'ServeAll' | 'ServeNone'): HealthyAnswer {
  const down = members.filter(({ state }) => state === 'Unhealthy');
  const unknown = members.filter(({ state }) => state === 'Unknown');
  if (down.length === 0 && unknown.length === 0)
    return healthy(`Every address works: ${members.length === 1 ? '1 address' : `${members.length} addresses`}.`);
  if (down.length === 0)
    return unknownHealth(`${namesOf(unknown)}. An address that is not known yet counts as working.`);
  const words = `${countOf(down.length, members.length)}: ${namesOf(down)}.`;
  if (down.length < members.length) {
    const servedDown = down.filter(({ served }) => served).length;
    return unhealthy(
      'SomeUnhealthy',
      `${words} ${servedDown === 0 ? `Answers omit ${down.length === 1 ? 'it' : 'them'}.` : LAST}`,
    );
  }
  if (members.some(({ served }) => served)) return unhealthy('NoneHealthy', `${words} ${LAST}`);
  return whenAllFail === 'ServeNone'
    ? unhealthy(
        'NoneHealthy',
        `${words} Name servers answer without an address, as spec.whenAllFail says, or with other records.`,
      )
    : unhealthy('NoneHealthy', `${words} Name servers answer with other records of the name and type.`);
}

const LAST = 'Nothing else is left at the name and type, so name servers answer nevertheless.';

function countOf(down: number, all: number): string {
  if (all === 1) return 'The address does not work';
  return down === all
    ? `None of the ${all} addresses works`
    : `${down} of ${all} addresses ${down === 1 ? 'does' : 'do'} not work`;
}

/** Addresses with the same reason stand together: `192.0.2.1, 192.0.2.2 (The connection is refused)`. */
function namesOf(members: readonly RecordMember[]): string {
  const shown = members.slice(0, MAX_NAMED);
  const groups = Map.groupBy(shown, ({ reason = 'nothing is known about it yet' }) => withoutStop(reason));
  const named = [...groups].map(([reason, group]) => `${listOf(group)} (${reason})`).join(', ');
  const more = members.length - shown.length;
  return more > 0 ? `${named} and ${more} more` : named;
}

const withoutStop = (sentence: string) => sentence.replace(/\.$/, '').slice(0, MAX_NAMED_REASON);

/** One Event for all members that began to fail, and one for all that work again. */
export function memberEvents(
  before: readonly RecordMember[],
  after: readonly RecordMember[],
): EventToRecord<EventReason>[] {
  const stateBefore = new Map(before.map(({ content, state }) => [content, state]));
  const failed = shownMembers(after).filter(
    ({ content, state }) => state === 'Unhealthy' && stateBefore.get(content) !== 'Unhealthy',
  );
  const back = after.filter(({ content, state }) => state === 'Healthy' && stateBefore.get(content) === 'Unhealthy');
  const action = 'Check';
  return [
    ...(failed.length === 0
      ? []
      : [
          {
            type: 'Warning' as const,
            reason: 'MemberUnhealthy' as const,
            action,
            note: `Does not work: ${namesOf(failed)}`,
          },
        ]),
    ...(back.length === 0
      ? []
      : [{ type: 'Normal' as const, reason: 'MemberHealthy' as const, action, note: `Works again: ${listOf(back)}` }]),
  ];
}

function listOf(members: readonly RecordMember[]): string {
  return writeFew(
    members.map(({ content }) => content),
    MAX_NAMED,
  );
}
