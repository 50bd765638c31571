// Looks at the DNSSEC keys of a zone, and begins the key roll that its DNSZone asks for. key-rollover.ts decides. The
// looks follow each other slowly: every ten minutes, and more often while a roll is under way.
import type { Clock } from '#base/clock.ts';
import { beginKeyRoll, getZoneKeys } from '#contract/operations/zone-keys.ts';
import type { Zone } from '#contract/zone.ts';
import type { ZoneKeys } from '#contract/zone-keys.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { keyOf } from '#kube/objects/resource.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { KEYS_ROLLING } from '#resources/names.ts';
import type { ServiceConnection } from '../access/credentials.ts';
import type { KeysRollingAnswer } from '../run/conditions.ts';
import { classifyFailure, REFUSED_RETRY_MS } from '../run/failures.ts';
import type { Answers, ZoneRun } from '../run/run.ts';
import { sendForZone } from './create.ts';
import { decideRollover, type RolloverCause, type RolloverDecision } from './key-rollover.ts';
import { isSameKeys, judgeKeys, type KeyFields, listKeyEvents, showKeys } from './key-status.ts';
import { CHECK_INTERVAL_MS } from './owners.ts';

/** The shortest and the longest time between two looks at a roll, in ms. It grows with the age of the step. */
const FIRST_ROLL_LOOK_MS = 2_000;
const LAST_ROLL_LOOK_MS = 5 * 60_000;
/** The time until the next look if this one failed, or if the zone may not be changed yet, in ms. */
const RETRY_MS = 60_000;
/** The service takes the step within this time after it is due, in ms. */
const STEP_MS = 2_000;

export interface KeyChecks {
  /**
   * Looks at the keys if that is due, and begins a roll if it is wanted. The fields of the status follow.
   * @param isServed whether every name server answers for the zone: otherwise no roll begins
   * @param mayChange whether the spec may change the zone
   * @returns the condition for the status. Empty: it stays as it is
   * @throws an error of the request for a roll that is to be repeated
   */
  check(
    run: ZoneRun,
    service: ServiceConnection,
    zone: Pick<Zone, 'id' | 'ds'>,
    facts: { isServed: boolean; mayChange: boolean },
  ): Promise<Answers>;
  /** The time until the next look, in ms. */
  dueIn(key: string): number;
  forget(key: string): void;
}

/** The last look at the keys of a zone. */
interface Look {
  readonly dueAt: number;
  /** The state that it was made for: another one makes the next look due. */
  readonly generation: number | undefined;
  readonly ds: string;
  readonly fields: KeyFields;
}

export function createKeyChecks(clock: Clock): KeyChecks {
  const looks = new Map<string, Look>();
  const isDue = ({ metadata, status }: DNSZone, key: string, ds: string) => {
    const last = looks.get(key);
    if (last === undefined || last.dueAt <= clock.now()) return true;
    // A status that another write prevented lacks the keys.
    return last.generation !== metadata.generation || last.ds !== ds || !isSameKeys(status, last.fields);
  };
  return {
    check: async (run, service, zone, { isServed, mayChange }) => {
      // A roll that is under way may wait for the name server that does not answer.
      if (!isServed && run.object.status?.keyRoll === undefined) return {};
      const key = keyOf(run.object);
      const ds = zone.ds.map(({ digest }) => digest).join();
      if (!isDue(run.object, key, ds)) return {};
      const keep = (fields: KeyFields, delayMs: number) =>
        void looks.set(key, { dueAt: clock.now() + delayMs, generation: run.object.metadata.generation, ds, fields });
      const zoneKeys = await readKeys(run, service, zone.id);
      if (zoneKeys === null) {
        keep(run.object.status ?? {}, RETRY_MS);
        return {};
      }
      const result = await rollIfWanted(run, service, { id: zone.id, zoneKeys, mayBegin: isServed && mayChange });
      const fields = showKeys(result.zoneKeys);
      const now = run.context.now();
      const answer = result.refusal ?? judgeKeys(fields, result.decision, now);
      const { object } = run;
      const condition = findCondition(object.status?.conditions, KEYS_ROLLING);
      const before = object.status?.zoneId === zone.id ? { ...object.status, condition } : undefined;
      run.events.push(...listKeyEvents(before, { ...fields, condition: answer }, result.cause));
      run.fields = { ...run.fields, ...fields };
      keep(fields, nextLookMs(result, now));
      // A zone that never had a roll, and asks for none, does not have the condition.
      const isShown = condition !== undefined || object.spec.keyRollover !== undefined || fields.keyRoll !== undefined;
      return isShown ? { [KEYS_ROLLING]: answer } : {};
    },
    dueIn: (key) => Math.max(0, (looks.get(key)?.dueAt ?? clock.now()) - clock.now()),
    forget: (key) => void looks.delete(key),
  };
}

/** Null: the service gives no answer. The rest of the zone does not need one. */
async function readKeys({ call }: ZoneRun, { client }: ServiceConnection, id: string): Promise<ZoneKeys | null> {
  try {
    return await client.call(getZoneKeys, { params: { id } }, call);
  } catch {
    call.signal.throwIfAborted();
    return null;
  }
}

interface RollResult {
  readonly zoneKeys: ZoneKeys;
  readonly decision: RolloverDecision;
  /** The field for which a roll was begun. */
  readonly cause: RolloverCause | null;
  readonly refusal: KeysRollingAnswer | null;
}

/** @throws errors of the service, except for a refusal */
async function rollIfWanted(
  run: ZoneRun,
  service: ServiceConnection,
  { id, zoneKeys, mayBegin }: { id: string; zoneKeys: ZoneKeys; mayBegin: boolean },
): Promise<RollResult> {
  const { spec } = run.object;
  const wanted = spec.managementPolicy === 'Observe' ? undefined : spec.keyRollover;
  const decision = decideRollover(wanted, zoneKeys, run.context.now());
  const result = { zoneKeys, decision, cause: null, refusal: null };
  if (decision.kind !== 'begin' || !mayBegin) return result;
  const { algorithm, cause } = decision;
  const body = algorithm === undefined ? {} : { algorithm };
  try {
    const begun = await sendForZone(run, service, id, (options) =>
      service.client.call(beginKeyRoll, { params: { id }, body }, options),
    );
    return { ...result, zoneKeys: begun, cause };
  } catch (error) {
    const failure = classifyFailure(error);
    if (failure?.kind !== 'refused') throw error;
    if (failure.reason !== 'Conflict') return { ...result, refusal: refuse(failure.message) };
    // Another client began a roll since this look.
    const present = await readKeys(run, service, id);
    if (present === null) return result;
    return { ...result, zoneKeys: present, decision: decideRollover(wanted, present, run.context.now()) };
  }
}

function refuse(reason: string): KeysRollingAnswer {
  const message = `The DNS service refuses the key roll of spec.keyRollover: ${reason} The operator tries again automatically.`;
  return { status: 'False', reason: 'RollRefused', message };
}

/** The time until the next look, in ms. */
function nextLookMs({ zoneKeys: { roll }, decision, refusal }: RollResult, now: Date): number {
  if (refusal !== null) return REFUSED_RETRY_MS;
  if (roll !== null) {
    const age = now.getTime() - Date.parse(roll.since);
    const pauseMs = Math.min(LAST_ROLL_LOOK_MS, Math.max(FIRST_ROLL_LOOK_MS, age / 10));
    const stepMs = roll.nextStepAt === null ? Number.POSITIVE_INFINITY : Date.parse(roll.nextStepAt) - now.getTime();
    return Math.min(pauseMs, Math.max(0, stepMs) + STEP_MS);
  }
  if (decision.kind === 'begin') return RETRY_MS;
  const planMs = decision.until === null ? Number.POSITIVE_INFINITY : decision.until.getTime() - now.getTime();
  return Math.min(CHECK_INTERVAL_MS, Math.max(FIRST_ROLL_LOOK_MS, planMs));
}
