// Finds or creates the zone at the service for a DNSZone: the zone in its status, an existing zone (adopt, Observe), or
// a new one. access/claims.ts decides which existing zones an object may use.

import { ApiError, isAbsent } from '#client/errors.ts';
import { fetchEnclosingZone, fetchZones } from '#client/lists.ts';
import { getAccount } from '#contract/operations/account.ts';
import { getZone } from '#contract/operations/zones.ts';
import type { Zone, ZoneCreated } from '#contract/zone.ts';
import type { DNSZone, ZoneStatus } from '#resources/dnszone.ts';
import { EXISTING_ZONES } from '#resources/names.ts';
import type { EventReason } from '#resources/reasons.ts';
import { enclosing, existingRefused, isManaged, mayTakeExisting, weakKey } from '../access/claims.ts';
import { createNeighbours, labelsIn, type OperatorContext } from '../access/context.ts';
import type { ServiceConnection } from '../access/credentials.ts';
import { type NotReady, no } from '../run/conditions.ts';
import { writeRunStatus } from '../run/reconciler.ts';
import type { ZoneRun } from '../run/run.ts';
import { createAtService, newIntent, repeatCreation } from './create.ts';
import { keySentence } from './key.ts';

/** `key`: the key that the zone got when the object created it; absent if the object did not. */
export type ZoneAtService =
  | { zone: Zone; origin: NonNullable<ZoneStatus['origin']>; key?: ZoneStatus['key'] }
  | { answer: NotReady };

/**
 * @param name the canonical name of the zone
 * @throws errors of the service and of the API server
 */
export async function zoneAtService(run: ZoneRun, service: ServiceConnection, name: string): Promise<ZoneAtService> {
  const { object } = run;
  const isManagedZone = isManaged(object);
  const observes = object.spec.managementPolicy === 'Observe';
  if (!isManagedZone && observes) return observe(run, service, name);
  if (isManagedZone) {
    const zoneResult = await knownZone(run, service, name);
    if (typeof zoneResult === 'object')
      return { zone: zoneResult, origin: object.status?.origin ?? 'Created', key: object.status?.key };
    if (zoneResult === 'another') {
      if (observes) return observe(run, service, name);
    } else if (observes || object.spec.driftPolicy !== 'Enforce') {
      const leaves = observes ? 'managementPolicy Observe' : `driftPolicy ${object.spec.driftPolicy}`;
      const message = `Zone ${object.status?.zoneId} was deleted at the DNS service, and ${leaves} does not create it again. Set managementPolicy: Full and driftPolicy: Enforce to create it again.`;
      return { answer: no('ZoneMissing', message) };
    } else {
      const note = `Zone ${object.status?.zoneId} no longer exists at the DNS service`;
      run.events.push({ type: 'Warning', reason: 'ZoneMissing', action: 'Recreate', note });
    }
  }
  return createOrAdopt(run, service, name);
}

/** Compares the name too, so that an id in a status never leads to another zone. */
async function knownZone(
  run: ZoneRun,
  { client }: ServiceConnection,
  name: string,
): Promise<Zone | 'gone' | 'another'> {
  const id = run.object.status?.zoneId as string;
  try {
    const zone = await client.call(getZone, { params: { id } }, run.call);
    return zone.zoneName === name ? zone : 'another';
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  run.log.warn({ zone: id }, 'another client deleted the zone at the DNS service');
  run.observations.push({ kind: 'drift', result: 'found' });
  return 'gone';
}

async function observe(run: ZoneRun, { client }: ServiceConnection, name: string): Promise<ZoneAtService> {
  const { context, object } = run;
  const { namespace } = object.metadata;
  const ownZone = createNeighbours(context)
    .named(name)
    .some((other) => other.metadata.namespace === namespace && isManaged(other));
  if (!ownZone && !mayTakeExisting(object, labelsIn(context))) return { answer: existingRefused(object, name) };
  const [zone] = await fetchZones(client, { zoneName: name }, run.call);
  if (zone) return { zone, origin: 'Observed' };
  return {
    answer: no(
      'ZoneMissing',
      'managementPolicy is Observe, but the API key sees no zone of this name at the DNS service. Create the zone there, or set managementPolicy: Full.',
    ),
  };
}

/** Returns a zone for an object that has none: the result of its earlier request, an existing zone, or a new zone. */
async function createOrAdopt(run: ZoneRun, service: ServiceConnection, name: string): Promise<ZoneAtService> {
  const { context, object } = run;
  const before = object.status?.intent;
  const createdZone = before === undefined ? null : await repeatCreation(run, service, before);
  if (createdZone !== null && !(createdZone instanceof ApiError)) return created(run, createdZone);
  const there = await nearest(service, name, run.call);
  const adoption = there && judgeExisting(context, object, name, there);
  if (adoption) {
    const keyProblem = 'zone' in adoption ? await keyRefused(run, service, name) : null;
    if (keyProblem) return { answer: keyProblem };
    if ('zone' in adoption)
      run.events.push(
        buildEvent('Adopted', `The operator has taken over zone ${name} (${adoption.zone.id}) with its records`),
      );
    return adoption;
  }
  const intent = await newIntent(run, service);
  const sameRequest =
    before?.owner === intent.owner &&
    before.defaultTtl === intent.defaultTtl &&
    before.denial === intent.denial &&
    before.comment === intent.comment &&
    before.newKey === intent.newKey;
  if (createdZone instanceof ApiError && sameRequest) throw createdZone;
  const {
    zoneId: goneId,
    origin: _was,
    key: _old_key,
    nextAttemptTime: _old,
    ...rest
  } = object.status ?? { conditions: [] };
  // The intent is in the status before the POST: after a crash the operator repeats the request and gets the first
  // response.
  await writeRunStatus(run, { ...rest, intent });
  const zone = await createAtService(run, service, intent);
  if (goneId !== undefined) run.observations.push({ kind: 'drift', result: 'repaired' });
  return created(run, zone);
}

function created(run: ZoneRun, zone: Zone & Pick<ZoneCreated, 'key'>): ZoneAtService {
  const { key } = zone;
  const keyNote = key === undefined ? '' : `. ${keySentence(key)}`;
  run.events.push(buildEvent('Created', `The operator has created zone ${zone.zoneName} (${zone.id})${keyNote}`));
  if (key?.formerKeyTag !== undefined) {
    const note = `The DNSSEC key of zone ${zone.zoneName} changed from ${key.formerKeyTag} to ${key.keyTag}. If its parent zone has a DS record for ${key.formerKeyTag}, replace it with the one in status.ds: validating resolvers refuse all answers until then`;
    run.events.push({ type: 'Warning', reason: 'KeyChanged', action: 'Create', note });
  }
  return { zone, origin: 'Created', key };
}

/** Returns the zone of this name, or the nearest zone above it, that the key sees. A single label has no zone above. */
async function nearest(
  { client }: ServiceConnection,
  name: string,
  options: { signal: AbortSignal; requestId: string },
) {
  if (name.includes('.')) return fetchEnclosingZone(client, name, options);
  return (await fetchZones(client, { zoneName: name }, options))[0] ?? null;
}

/** @returns null when the object may create a new zone */
function judgeExisting(context: OperatorContext, object: DNSZone, name: string, there: Zone): ZoneAtService | null {
  const isAllowed = mayTakeExisting(object, labelsIn(context));
  if (there.zoneName !== name) {
    // A child zone hides the records of the parent: access/claims.ts has already checked the permission of its owner.
    const above = enclosing(object, name, createNeighbours(context))?.zone.status?.zoneId;
    return isAllowed || above === there.id ? null : { answer: existingRefused(object, there.zoneName) };
  }
  if (object.spec.adopt === 'Never') {
    const message = `Zone ${name} already exists at the DNS service, and this object did not create it. To take it over with all its records, set spec.adopt: IfIdentical. To add records without managing the zone, set spec.managementPolicy: Observe.`;
    return { answer: no('Conflict', message) };
  }
  if (!isAllowed) return { answer: existingRefused(object, name) };
  const difference = whyNotIdentical(object, there);
  if (difference !== null) return { answer: no('Conflict', difference) };
  return { zone: there, origin: 'Adopted' };
}

/**
 * A key of the object's own proves no more than its rights: a key for a few records could otherwise hold the name of
 * its zone.
 */
async function keyRefused(run: ZoneRun, { client }: ServiceConnection, name: string): Promise<NotReady | null> {
  const secret = run.object.spec.credentialsSecretRef;
  if (secret === undefined || labelsIn(run.context)(run.object.metadata.namespace ?? '')?.[EXISTING_ZONES] === 'allow')
    return null;
  const { key } = await client.call(getAccount, {}, run.call);
  return key.manageZones === 'write' ? null : weakKey(name, secret.name);
}

function buildEvent(reason: EventReason, note: string) {
  return { type: 'Normal', reason, action: 'Create', note } as const;
}

/**
 * Says why the zone is not the one that the spec describes. spec.adopt: IfIdentical changes nothing at the service: the
 * zone must already have the settings of the spec. A parked zone, for example, would otherwise begin to answer.
 * @returns null when both have the same settings
 */
function whyNotIdentical({ spec }: Pick<DNSZone, 'spec'>, zone: Zone): string | null {
  const { owner, defaultTtl, denial, parked } = spec;
  // The settings of another owner's zone are shown to no other owner.
  if (owner !== undefined && owner !== zone.owner) {
    return `Zone ${zone.zoneName} already exists at the DNS service and does not belong to ${owner}. Correct spec.owner.`;
  }
  const wantedSettings = [
    ...(defaultTtl === undefined || defaultTtl === zone.defaultTtl ? [] : [`defaultTtl: ${zone.defaultTtl}`]),
    ...(denial === undefined || denial === zone.denial ? [] : [`denial: ${zone.denial}`]),
    ...(parked === (zone.state === 'parked') ? [] : [`parked: ${!parked}`]),
  ];
  if (wantedSettings.length === 0) return null;
  return `Zone ${zone.zoneName} already exists at the DNS service with other settings, and adopt: IfIdentical takes over only a zone with those of the spec. Set ${wantedSettings.join(' and ')} in the spec. You can change them after the takeover.`;
}
