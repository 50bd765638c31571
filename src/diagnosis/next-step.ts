// The next step for the reason of an object that is not Ready: a sentence, and the commands to type. Pure.
import { isIP } from 'node:net';
import { quoteForShell } from '#base/shell.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { unownedIn } from '#resources/deletion.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { DELETION_BLOCKED, FORCE_DELETE, RELEASE_MANY } from '#resources/names.ts';
import type { NotReadyReason } from '#resources/reasons.ts';
import { listRecordValues } from '#resources/summary.ts';
import { isUnownedValue, namesUnowned } from '#resources/unowned.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import type { NextStep } from './finding.ts';
import { conditionsOf, isZone, namespaceOf, resourceOf, type Shown } from './objects.ts';

/** Another object that a condition names. */
export interface Named {
  readonly kind: 'DNSZone' | 'DNSRecord';
  readonly namespace: string;
  readonly name: string;
}

/** @param named the objects in the message of the condition; the first one is the winner of a conflict */
export function nextStep(object: Shown, reason: string, named: readonly Named[]): NextStep {
  const step = STEPS[reason as NotReadyReason];
  return step === undefined ? look(object) : step(object, named);
}

/** For an object that is Ready. */
export function verifyStep(object: Shown): NextStep {
  if (isZone(object)) {
    const { status, spec } = object;
    return { words: 'Ask a name server of the zone.', commands: [digOf(status?.servers, spec.zoneName, 'SOA')] };
  }
  return { words: 'Look at the zone of the record.', commands: [whyZone(object)] };
}

/** For a record that is Ready while an address of it does not work; null: there is none. */
export function membersStep(object: Shown): NextStep | null {
  if (isZone(object)) return null;
  const down = (object.status?.members ?? []).filter(({ state }) => state === 'Unhealthy');
  const [first] = down;
  if (first === undefined) return null;
  const ref = object.spec.healthFrom?.serviceRef;
  if (ref !== undefined)
    return {
      words: `See why no pod of the Service ${ref.name} is ready: ${first.reason ?? 'its endpoints are not ready.'} Answers then include the addresses again.`,
      commands: [
        `kubectl get endpointslices -l kubernetes.io/service-name=${ref.name} ${inNamespace(object)}`,
        look(object).commands?.[0] ?? '',
      ],
    };
  const more = down.length === 1 ? '' : `, and ${down.length - 1} more`;
  return {
    words: `Repair the server at ${first.content}${more}: ${first.reason ?? 'its check fails.'} Answers then include it again.`,
    commands: [look(object).commands?.[0] ?? ''],
  };
}

/** For a zone whose key roll waits for the parent zone; null: it does not. */
export function keyRollStep(object: Shown): NextStep | null {
  if (!isZone(object)) return null;
  const { step, waitsFor, nextStepTime } = object.status?.keyRoll ?? {};
  // With a time, the parent shows the DS records, and caches have to forget the earlier ones.
  if (nextStepTime !== undefined || (step !== 'Ready' && step !== 'Withdrawn')) return null;
  return {
    words: `Give the parent zone these DS records and no others. The key roll waits for ${waitsFor}.`,
    commands: [
      `kubectl get ${resourceOf(object)} ${inNamespace(object)} -o jsonpath='{range .status.ds[*]}{.record}{"\\n"}{end}'`,
    ],
  };
}

function digOf(servers: NonNullable<DNSZone['status']>['servers'], name: string, type: string): string {
  const address = servers?.[0]?.address;
  if (address === undefined) return `dig ${name} ${type}`;
  const [, host, port] = isIP(address) > 0 ? [] : (/^\[?(.+?)\]?:(\d+)$/.exec(address) ?? []);
  const at = host === undefined ? address : `${host}${port === '53' ? '' : ` -p ${port}`}`;
  return `dig +norecurse @${at} ${name} ${type}`;
}

const inNamespace = (object: Shown) => `-n ${namespaceOf(object)}`;
const edit =
  (words: string) =>
  (object: Shown): NextStep => ({
    words,
    commands: [`kubectl edit ${resourceOf(object)} ${inNamespace(object)}`],
  });
const wait =
  (words: string) =>
  (object: Shown): NextStep => ({
    words,
    commands: [`kubectl wait --for=condition=Ready ${resourceOf(object)} ${inNamespace(object)}`],
  });
const look = (object: Shown): NextStep => ({
  words: 'Read the Events of the object.',
  commands: [`kubectl describe ${resourceOf(object)} ${inNamespace(object)}`],
});
const clusters = (words: string) => (): NextStep => ({ words, commands: ['zonestead clusters list'] });
const patch = (object: Shown, spec: object) =>
  `kubectl patch ${resourceOf(object)} ${inNamespace(object)} --type merge -p '${JSON.stringify({ spec })}'`;

function whyZone(record: DNSRecord): string {
  const [namespace, name] = zoneKeyOf(record).split('/');
  return `kubectl zonestead why zdz/${name} -n ${namespace}`;
}

/** The zone of a record, or the zone itself. */
function zoneAt(object: Shown): { namespace: string; name: string } {
  if (isZone(object)) return { namespace: namespaceOf(object), name: object.metadata.name };
  const [namespace = '', name = ''] = zoneKeyOf(object).split('/');
  return { namespace, name };
}

/** A record that belongs to no object; only its history says who made it, to a key that may read it. */
function takeOver(object: DNSRecord, message: string): NextStep {
  const { name, type } = object.spec;
  const fqdn = object.status?.fqdn ?? '';
  const zone = name === '@' ? fqdn : fqdn.slice(name.length + 1);
  const content = listRecordValues(object.spec).find((value) => namesUnowned(message, value.content))?.content;
  const word = (parts: readonly string[]) => parts.map(quoteForShell).join(' ');
  return {
    words:
      'The record at the service belongs to no object. See which key or trust made it; then take it over, or delete it.',
    commands: [
      ...(zone === '' ? [] : [`zonestead changes list ${quoteForShell(zone)} --name ${quoteForShell(name)}`]),
      patch(object, { adopt: 'IfIdentical' }),
      ...(zone === '' || content === undefined
        ? []
        : [`zonestead records delete ${word([zone, name, type, content])}`]),
    ],
  };
}

function conflict(object: Shown, [winner]: readonly Named[]): NextStep {
  const unowned = conditionsOf(object).find(({ message }) => isUnownedValue(message));
  if (unowned !== undefined && !isZone(object)) return takeOver(object, unowned.message);
  if (winner === undefined) return edit('Remove the conflict that the message names, or change this object.')(object);
  const short = `${winner.kind === 'DNSZone' ? 'zdz' : 'zdr'}/${winner.name}`;
  return {
    words: `Look at ${winner.kind} ${winner.namespace}/${winner.name}, which the condition names.`,
    commands: [`kubectl zonestead why ${short} -n ${winner.namespace}`],
  };
}

function credentials(object: Shown): NextStep {
  const { namespace, name } = zoneAt(object);
  const secret = isZone(object) ? (object.spec.credentialsSecretRef?.name ?? '') : '';
  return {
    words: 'Check the Secret with the API key.',
    commands: [
      secret === ''
        ? `kubectl zonestead why zdz/${name} -n ${namespace}`
        : `kubectl describe secret ${secret} -n ${namespace}`,
    ],
  };
}

function permission(object: Shown, named: readonly Named[]): NextStep {
  const zone = isZone(object) ? named.find(({ kind }) => kind === 'DNSZone') : zoneAt(object);
  if (zone === undefined) return look(object);
  return {
    words: 'The owner of the zone adds a rule to spec.allowedRecords.',
    commands: [`kubectl edit dnszone.zonestead.dev/${zone.name} -n ${zone.namespace}`],
  };
}

/** The commands for a deletion that waits, by the reason of its condition. */
function deletion(object: Shown): NextStep {
  const waits = findCondition(conditionsOf(object), DELETION_BLOCKED);
  if (waits?.status !== 'True' || !isZone(object)) return look(object);
  const annotate = (annotation: string) =>
    `kubectl annotate ${resourceOf(object)} ${inNamespace(object)} ${annotation}=true`;
  const keep = patch(object, { deletionPolicy: 'Retain' });
  if (waits.reason !== 'ForeignRecords')
    return { words: 'Delete the zone nevertheless, or keep it.', commands: [annotate(RELEASE_MANY), keep] };
  const deletions = unownedIn(waits.message).map(
    ({ name, type }) => `zonestead records delete ${[object.spec.zoneName, name, type].map(quoteForShell).join(' ')}`,
  );
  const words =
    deletions.length > 0
      ? 'Delete the records that keep the zone, or delete the zone with all its records, or keep it.'
      : 'Wait for the DNSRecords of other namespaces, or delete the zone with all its records, or keep it.';
  return { words, commands: [...deletions, annotate(FORCE_DELETE), keep] };
}

type Step = (object: Shown, named: readonly Named[]) => NextStep;

const STEPS: Readonly<Record<NotReadyReason, Step>> = {
  Pending: () => ({
    words: 'See whether an operator is the leader.',
    commands: ['kubectl get lease -A --field-selector metadata.name=zonestead-operator'],
  }),
  InvalidSpec: edit('Correct the field that the message names.'),
  NotPermitted: permission,
  ZoneNotReady: (object) =>
    isZone(object) ? look(object) : { words: 'The cause is in the zone.', commands: [whyZone(object)] },
  ZoneMissing: (object) =>
    isZone(object)
      ? {
          words: 'Let the operator create the zone again.',
          commands: [patch(object, { managementPolicy: 'Full', driftPolicy: 'Enforce' })],
        }
      : { words: 'The cause is in the zone.', commands: [whyZone(object)] },
  ZoneParked: (object) => {
    const { namespace, name } = zoneAt(object);
    return {
      words: 'Serve the zone again.',
      commands: [
        `kubectl patch dnszone.zonestead.dev/${name} -n ${namespace} --type merge -p '{"spec":{"parked":false}}'`,
      ],
    };
  },
  ClusterDrained: clusters('See which clusters are drained.'),
  ClusterNameTaken: clusters('See which clusters send heartbeats.'),
  CheckMissing: edit('Name a check that exists, or write the definition of the check into the object.'),
  Conflict: conflict,
  OlderThanService: clusters(
    'See whether the etcd of the cluster was restored, and accept the older objects or write the newer ones again.',
  ),
  SecondaryNotOffered: edit('Choose a secondary that the message names.'),
  RateLimited: wait('The operator retries automatically.'),
  ZoneBusy: wait('The operator retries automatically.'),
  APIUnavailable: wait('The operator retries automatically.'),
  APIError: wait('The operator retries automatically.'),
  AwaitingPropagation: wait('The operator asks the name servers again by itself.'),
  TargetUnresolved: edit('Correct the target, or give it an address.'),
  Drifted: (object) => ({
    words: 'Let the operator change the data back.',
    commands: [patch(object, { driftPolicy: 'Enforce' })],
  }),
  DeletionBlocked: deletion,
  CredentialsMissing: credentials,
  CredentialsNotReadable: credentials,
  CredentialsRejected: credentials,
  CredentialsWrongTeam: credentials,
};

/** The objects that a message names: "DNSRecord team-a/www already owns …". Without the object itself, each once. */
export function namedIn(message: string, self: Shown): Named[] {
  const found = [...message.matchAll(/\b(DNSZone|DNSRecord) ([a-z0-9-]+)\/([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)/g)];
  const seen = new Set([`${self.kind} ${namespaceOf(self)}/${self.metadata.name}`]);
  return found.flatMap(([text, kind, namespace = '', name = '']) => {
    if (seen.has(text)) return [];
    seen.add(text);
    return [{ kind: kind as Named['kind'], namespace, name }];
  });
}
