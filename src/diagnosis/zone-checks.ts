// The checks of a zone: its object, its grant for challenges, its name servers, nodes and secondaries, and its
// delegation with the DS record. `zonestead doctor` and `kubectl zonestead why` say the same about a zone. Pure.
import { evenlyNote } from '#client/zone-nodes.ts';
import { plainName } from '#dns/names/plain.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { adviceFor, plainAdvice } from '#resources/advice.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import type { LabelsOf } from '#resources/grant-match.ts';
import { KEYS_ROLLING, TARGETS_EXIST } from '#resources/names.ts';
import { zoneNameIndex } from '#resources/zone-ref.ts';
import { acmeRefusal } from '#solver/grant.ts';
import { matchZone, type ZoneMatch } from '#solver/zone-match.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { nextStep } from './next-step.ts';
import { judgeReady } from './object-checks.ts';
import { conditionsOf, titleOf, zoneNameOf } from './objects.ts';

/** The zone for the challenge of this name. @param name as in a Certificate */
export function findZone(name: string, zones: readonly DNSZone[]): ZoneMatch | Finding {
  const plain = plainName(name).replace(/^\*\./, '');
  const match = matchZone(`_acme-challenge.${plain}`, (zoneName) =>
    zones.filter((zone) => zoneNameIndex(zone).includes(zoneName)),
  );
  if (match !== undefined) return match;
  return fail(
    'zone',
    `No DNSZone covers ${plain}`,
    'Create a DNSZone for it or for a parent of it. kubectl get zdz -A lists the zones',
  );
}

export function judgeGrant(match: ZoneMatch, tenant: string, labelsOf: LabelsOf): Finding {
  const refusal = acmeRefusal(match, tenant, labelsOf);
  if (refusal === null) return ok('grant', `${titleOf(match.zone)} accepts ACME challenges from namespace ${tenant}`);
  const { namespace, name } = match.zone.metadata;
  return fail('grant', refusal, `kubectl -n ${namespace} edit zdz ${name}`);
}

export function judgeZone(zone: DNSZone): Finding {
  if (!zone.spec.parked) return judgeReady(zone);
  return fail('zone', `${titleOf(zone)} is parked, so only its apex is served`, nextStep(zone, 'ZoneParked', []));
}

/** Judges the nodes as the operator saw them last. */
export function judgeNodes({ status }: DNSZone): Finding[] {
  const { nodes, nodesCurrent } = status ?? {};
  if (nodes === undefined) return [];
  const problems = nodes.filter(({ state }) => state === 'Behind');
  if (nodes.length === 0)
    return [
      warn(
        'node',
        'No node reports to the api',
        'Is `zonestead nameserver` running? `zonestead admin nodes list` shows all nodes',
      ),
    ];
  if (problems.length === 0) {
    const evenly = describeEvenly(status);
    const current = `${nodesCurrent} nodes have the zone as it is stored`;
    return [ok('node', evenly === null ? current : `${current}. ${evenly}`)];
  }
  return problems.map(({ name, problem }) =>
    fail(
      'node',
      problem ?? `node ${name} is behind`,
      `Read the log of node ${name}; \`zonestead admin nodes list\` shows its state`,
    ),
  );
}

/** A sentence about the nodes that answer records with weights evenly; null: there are none. */
export function describeEvenly(status: DNSZone['status']): string | null {
  return evenlyNote((status?.nodes ?? []).flatMap(({ name, evenly }) => (evenly ? [name] : [])));
}

/** Judges the secondaries as the operator saw them last. A hidden one keeps nothing from being Ready. */
export function judgeSecondaries({ spec, status }: DNSZone): Finding[] {
  return (status?.secondaries ?? []).map(({ name, state, nameservers = [], problem }) => {
    if (state === 'Current') return ok('secondary', `Secondary ${name} has the zone`);
    const fix = `\`zonestead admin secondaries list\` shows it. Is the server of ${name} running, and does it reach a node?`;
    const counts = nameservers.length > 0 && spec.readyWhen !== 'OwnNodes';
    return (counts && state !== 'Unknown' ? fail : warn)(
      'secondary',
      problem ?? `secondary ${name} is not current`,
      fix,
    );
  });
}

const PRIVATE = 'A private zone needs no delegation if a private authority queries its name servers directly';

/**
 * Judges the delegation and the DS record that the operator found at the parent. A certificate authority resolves names
 * through them.
 */
export function judgeDelegation(zone: DNSZone): Finding {
  const name = zoneNameOf(zone);
  const delegated = findCondition(conditionsOf(zone), 'Delegated');
  if (delegated?.status === 'True') return ok('delegation', `${name} is delegated from its parent`);
  const what = `${name} has no confirmed delegation: ${delegated?.message ?? 'the operator has not checked it yet'}`;
  const advice = delegated === undefined ? undefined : adviceFor(delegated.reason);
  const step = advice === undefined ? recordsFor(zone) : capitalize(plainAdvice(advice.remedy));
  return warn('delegation', what, `${step}. ${PRIVATE}`);
}

/** Judges the targets of the zone's records, as the service has found by lookups. */
export function judgeTargets(zone: DNSZone): Finding[] {
  const condition = findCondition(conditionsOf(zone), TARGETS_EXIST);
  if (condition?.status !== 'False') return [];
  const advice = adviceFor(condition.reason);
  const what = `${zoneNameOf(zone)} has dangling names. ${condition.message}`;
  return [warn('target', what, advice === undefined ? 'Delete these records' : capitalize(plainAdvice(advice.remedy)))];
}

/** Judges the key roll of the zone: one that has waited for days, or that the operator does not begin. */
export function judgeKeyRoll(zone: DNSZone): Finding[] {
  const condition = findCondition(conditionsOf(zone), KEYS_ROLLING);
  const advice = condition && adviceFor(condition.reason);
  if (condition === undefined || advice === undefined) return [];
  const what = `The key roll of ${zoneNameOf(zone)} needs attention: ${condition.message}`;
  return [warn('key', what, capitalize(plainAdvice(advice.remedy)))];
}

function recordsFor({ status }: DNSZone): string {
  const servers = (status?.nameservers ?? []).join(', ');
  const ds = status?.ds?.[0]?.record;
  return `At the parent: NS ${servers || '(see the status of the zone)'}${ds ? `, DS ${ds}` : ''}`;
}

const capitalize = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
