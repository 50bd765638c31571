// The checks of the conditions of a DNSZone or DNSRecord. Pure.
import type { Condition } from '#kube/objects/conditions.ts';
import { adviceFor, plainAdvice } from '#resources/advice.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { KEYS_ROLLING } from '#resources/names.ts';
import { type Finding, fail, ok } from './finding.ts';
import { namedIn, nextStep } from './next-step.ts';
import { conditionsOf, isZone, readyOf, type Shown, sorted, titleOf, zoneNameOf } from './objects.ts';
import { compareFindings } from './rank.ts';

/** Reasons whose cause is in the zone of a record, or in a name server, node or secondary of a zone. */
const EFFECTS: Readonly<Record<'zone' | 'record', readonly string[]>> = {
  zone: ['AwaitingPropagation'],
  record: ['ZoneNotReady', 'ZoneMissing', 'ZoneParked', 'AwaitingPropagation'],
};

/** Judges the condition Ready. */
export function judgeReady(object: Shown): Finding {
  const subject = isZone(object) ? 'zone' : 'record';
  const title = titleOf(object);
  const { isReady, reason, message } = readyOf(object);
  if (isReady) return ok(subject, `${title}${isZone(object) ? ` (${zoneNameOf(object)})` : ''} is Ready`);
  const messages = conditionsOf(object).flatMap((each) => (each.status === 'True' ? [] : [each.message]));
  const step = nextStep(object, reason, namedIn(messages.join('\n'), object));
  return {
    ...fail(subject, `${title} is not Ready: ${reason}: ${message}`, step),
    isEffect: EFFECTS[subject].includes(reason),
  };
}

/** The objects that are not Ready, with the first one to repair first. */
export function objectsToRepair({
  zones,
  records,
}: {
  readonly zones: readonly DNSZone[];
  readonly records: readonly DNSRecord[];
}): (DNSZone | DNSRecord)[] {
  return [...sorted(records), ...sorted(zones)]
    .filter((object) => !readyOf(object).isReady)
    .map((object) => ({ object, finding: judgeReady(object) }))
    .toSorted((a, b) => compareFindings(a.finding, b.finding))
    .map(({ object }) => object);
}

/** A condition with such a name means a problem if it is True. */
const BAD_IF_TRUE = /^Deletion/;

/** A condition with its verdict, and the remedy of its reason if there is a problem. */
interface JudgedCondition {
  readonly condition: Condition;
  readonly isGood: boolean;
  readonly remedy: string | undefined;
}

export function judgeConditions(object: Shown): JudgedCondition[] {
  return conditionsOf(object).map((condition) => {
    const { reason } = condition;
    const isGood = isGoodCondition(condition);
    const advice = isGood ? undefined : adviceFor(reason);
    return { condition, isGood, remedy: advice === undefined ? undefined : plainAdvice(advice.remedy) };
  });
}

function isGoodCondition({ type, status, reason }: Condition): boolean {
  // Both a zone with a roll and one without are as they should be, if their reason needs no advice.
  if (type === KEYS_ROLLING) return adviceFor(reason) === undefined;
  return BAD_IF_TRUE.test(type) ? status === 'False' : status === 'True';
}
