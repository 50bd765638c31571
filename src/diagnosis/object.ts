// Finds the problems of one DNSZone or DNSRecord and of its zone, from the objects alone. Pure.
import type { DNSZone } from '#resources/dnszone.ts';
import type { Finding, NextStep } from './finding.ts';
import { keyRollStep, membersStep, verifyStep } from './next-step.ts';
import { judgeReady } from './object-checks.ts';
import { isZone } from './objects.ts';
import { rankFindings } from './rank.ts';
import type { ObjectFacts } from './read-objects.ts';
import { judgeSeenServers } from './server-checks.ts';
import { judgeDelegation, judgeKeyRoll, judgeNodes, judgeSecondaries, judgeZone } from './zone-checks.ts';

interface ObjectDiagnosis {
  /** Problems of the zone that the conditions of the object itself do not show, the first thing to repair first. */
  readonly problems: readonly Finding[];
  readonly nextStep: NextStep;
}

export function diagnoseObject(facts: ObjectFacts): ObjectDiagnosis {
  const { object } = facts;
  const zone = zoneIn(facts);
  const own = isZone(object) ? judgeZone(object) : judgeReady(object);
  const parts =
    zone === undefined
      ? []
      : [judgeSeenServers, judgeNodes, judgeSecondaries, judgeKeyRoll].flatMap((judge) => judge(zone));
  // The conditions of a zone itself have the same words about its state and its delegation.
  const others = zone === undefined || isZone(object) ? parts : [judgeZone(zone), ...parts, judgeDelegation(zone)];
  const [first] = rankFindings([own, ...others]);
  return {
    problems: rankFindings(others.filter(({ level }) => level !== 'ok')),
    nextStep:
      own.level === 'ok'
        ? (membersStep(object) ?? keyRollStep(object) ?? verifyStep(object))
        : (first?.nextStep ?? verifyStep(object)),
  };
}

/** The zone of a record, or the zone itself; undefined if it cannot be read. */
export function zoneIn({ object, zone }: ObjectFacts): DNSZone | undefined {
  if (isZone(object)) return object;
  if (zone === undefined || !('object' in zone) || !isZone(zone.object)) return undefined;
  return zone.object;
}
