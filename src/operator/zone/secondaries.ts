// Brings the owner's choice of secondaries to spec.secondaries. The service knows which secondaries are offered to a
// team; an offer to namespaces is checked here, because only the operator knows the namespace. A secondary that is not
// offered to the namespace gets the same answer as one that does not exist. A secondary that the zone already has may
// stay when its offer ends.

import { isAbsent } from '#client/errors.ts';
import { chooseZoneSecondaries, listSecondaries, listZoneSecondaries } from '#contract/operations/secondaries.ts';
import { getZone } from '#contract/operations/zones.ts';
import type { OfferedSecondary, ZoneSecondary } from '#contract/secondary.ts';
import type { Zone } from '#contract/zone.ts';
import { isTrue } from '#kube/objects/conditions.ts';
import type { ServiceConnection } from '../access/credentials.ts';
import { type ConditionAnswer, isDriftReported, type NotReady, no, yes } from '../run/conditions.ts';
import { classifyFailure } from '../run/failures.ts';
import type { ZoneRun } from '../run/run.ts';
import { sendForZone } from './create.ts';

/** The number of offered secondaries in a message. */
const SHOWN = 20;
const LONGEST_AGAIN_MS = 60_000;
const SHORTEST_AGAIN_MS = 2_000;

export interface Chosen {
  /** As it is after a change of the choice, which changes the NS records. */
  readonly zone: Zone;
  /** The result for Programmed; null: the choice is that of the spec, or the spec has none. */
  readonly programmed: ConditionAnswer | null;
}

/** @throws errors of the service, except for a refusal of the choice */
export async function applySecondaryChoice(run: ZoneRun, service: ServiceConnection, zone: Zone): Promise<Chosen> {
  const { spec, status, metadata } = run.object;
  const { client } = service;
  const wantedNames = spec.secondaries;
  if (wantedNames === undefined || spec.managementPolicy === 'Observe') return { zone, programmed: null };
  const options = run.call;
  let programmedAnswer: ConditionAnswer | null;
  try {
    const params = { id: zone.id };
    const { secondaries } = await client.call(listZoneSecondaries, { params }, options);
    const before = secondaries.filter(({ chosen }) => chosen).map(({ name }) => name);
    const isNew = wantedNames.some((name) => !before.includes(name));
    const offers = isNew ? await client.call(listSecondaries, {}, options) : { secondaries: [] };
    const offeredNames = offeredToNamespace(metadata.namespace, offers.secondaries);
    const choice = wantedNames.filter((name) => before.includes(name) || offeredNames.includes(name));
    const missingNames = wantedNames.filter((name) => !choice.includes(name));
    programmedAnswer =
      missingNames.length === 0 ? null : notOffered(missingNames, offeredNames, metadata.namespace ?? '');
    if (isSameSet(choice, before)) return { zone, programmed: programmedAnswer };
    // Until the whole spec was written once, a difference is unfinished work of the operator.
    const hasDrifted = isTrue(status?.conditions, 'Programmed', metadata.generation);
    if (hasDrifted && !mayRepair(run, before)) return { zone, programmed: drifted(before) };
    await sendForZone(run, service, zone.id, (call) =>
      client.call(chooseZoneSecondaries, { params, body: { secondaries: choice } }, call),
    );
    if (hasDrifted) run.observations.push({ kind: 'drift', result: 'repaired' });
    else run.events.push(updated(choice));
  } catch (error) {
    programmedAnswer = toNotReady(error);
    if (programmedAnswer === null) throw error;
    return { zone, programmed: programmedAnswer };
  }
  // The NS records are those of the new choice.
  return { zone: await client.call(getZone, { params: { id: zone.id } }, options), programmed: programmedAnswer };
}

/** The names of the secondaries that objects of this namespace may choose. */
export function offeredToNamespace(namespace: string | undefined, offers: readonly OfferedSecondary[]): string[] {
  return offers
    .filter(({ namespaces }) => namespaces === null || (namespace !== undefined && namespaces.includes(namespace)))
    .map(({ name }) => name);
}

/**
 * The time until the zone is read again because a secondary does not have it, in ms; infinite if every secondary has
 * it. It grows with the age of the state. A secondary that no node has reported about is as old as the last change of
 * the zone.
 */
export function lookAgainMs(secondaries: readonly ZoneSecondary[], now: Date, changedAt: string): number {
  const delays = secondaries.flatMap(({ state, since }) => {
    if (state === 'current') return [];
    const from = since ?? (state === 'unknown' ? changedAt : undefined);
    const age = from === undefined ? 0 : now.getTime() - Date.parse(from);
    return [Math.min(LONGEST_AGAIN_MS, Math.max(SHORTEST_AGAIN_MS, age))];
  });
  return Math.min(...delays);
}

function notOffered(missingNames: readonly string[], offeredNames: readonly string[], namespace: string): NotReady {
  const some = offeredNames.slice(0, SHOWN).join(', ') + (offeredNames.length > SHOWN ? ' and others' : '');
  const choice = offeredNames.length === 0 ? 'No secondary is offered to it.' : `Offered to it: ${some}.`;
  const [which, verb] = [missingNames.join(', '), missingNames.length === 1 ? 'is' : 'are'];
  return no(
    'SecondaryNotOffered',
    `spec.secondaries: ${which} ${verb} not offered to namespace ${namespace}. ${choice} Correct spec.secondaries, or ask the administrator of the service for an offer. Records and other fields of the zone are not affected.`,
  );
}

function drifted(before: readonly string[]): ConditionAnswer {
  const message = `The choice of secondaries was changed at the DNS service, and driftPolicy does not revert that: the zone has ${listed(before)}. Set driftPolicy: Enforce to revert it.`;
  return yes('Drifted', message);
}

/** Enforce reverts the drift and records an Event, Report only records the Event, and Ignore does neither. */
function mayRepair(run: ZoneRun, before: readonly string[]): boolean {
  const { driftPolicy } = run.object.spec;
  if (driftPolicy !== 'Ignore') {
    run.observations.push({ kind: 'drift', result: 'found' });
    const action = driftPolicy === 'Enforce' ? 'Repair' : 'Report';
    const note = `Another client chose the secondaries of the zone: ${listed(before)}`;
    if (!isDriftReported(run.object.status?.conditions, `the zone has ${listed(before)}.`))
      run.events.push({ type: 'Warning', reason: 'Drift', action, note });
  }
  return driftPolicy === 'Enforce';
}

function updated(choice: readonly string[]) {
  const note = `The secondaries that the zone uses: ${listed(choice)}`;
  return { type: 'Normal', reason: 'Updated', action: 'Update', note } as const;
}

/**
 * A refusal of the choice concerns nothing else of the zone. The service names offers to other namespaces, so its words
 * are not used.
 */
function toNotReady(error: unknown): NotReady | null {
  const failure = classifyFailure(error);
  if (failure?.kind === 'refused') {
    const message =
      'The DNS service refuses the choice of spec.secondaries. An offer may have ended a moment ago, or the API key must not choose secondaries. The operator tries again automatically.';
    return no('SecondaryNotOffered', message);
  }
  if (!isAbsent(error) || error.code !== 'not_found') return null;
  return no(
    'APIError',
    'spec.secondaries: the api is of a version that has no choice of secondaries. Upgrade the api.',
  );
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name));
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : [...names].sort().join(', ');
}
