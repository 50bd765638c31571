// The checks from a name to the name servers: its zone, the grant of the zone, its state, its servers and its
// delegation. All are pure except for the queries to the servers.
import { plainName } from '#dns/names/plain.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { type NameServer, type ResolvedServers, type ServerVerdict, zoneServed } from '#nameserver/probe/probe.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { zoneNameIndex } from '#resources/zone-ref.ts';
import { acmeRefusal, titleOf } from '#solver/grant.ts';
import { matchZone, type ZoneMatch } from '#solver/zone-match.ts';
import { type DoctorFinding, fail, ok, warn } from './finding.ts';

/** The zone for the challenge of this name. @param name as in a Certificate */
export function findZone(name: string, zones: readonly DNSZone[]): ZoneMatch | DoctorFinding {
  const plain = plainName(name).replace(/^\*\./, '');
  const match = matchZone(`_acme-challenge.${plain}`, (zoneName) =>
    zones.filter((zone) => zoneNameIndex(zone).includes(zoneName)),
  );
  if (match !== undefined) return match;
  return fail(
    `No DNSZone covers ${plain}`,
    'Create a DNSZone for it or for a parent of it. kubectl get zdz -A lists the zones',
  );
}

export function judgeGrant(
  match: ZoneMatch,
  tenant: string,
  labelsOf: (namespace: string) => Readonly<Record<string, string>> | undefined,
): DoctorFinding {
  const title = titleOf(match.zone);
  const refusal = acmeRefusal(match, tenant, labelsOf);
  if (refusal === null) return ok(`${title} accepts ACME challenges from namespace ${tenant}`);
  return fail(refusal, `kubectl -n ${match.zone.metadata.namespace} edit zdz ${match.zone.metadata.name}`);
}

export function judgeZone({ zone, zoneName }: ZoneMatch): DoctorFinding {
  const title = titleOf(zone);
  const ready = findCondition(zone.status?.conditions, 'Ready');
  if (zone.spec.parked) {
    return fail(`${title} is parked, so only its apex is served`, 'Set spec.parked to false');
  }
  if (ready?.status === 'True') return ok(`${title} (${zoneName}) is Ready`);
  const reason = ready?.reason ?? 'Pending';
  const fix =
    reason === 'Pending'
      ? 'Is the operator running? It has not reconciled the object yet'
      : 'Fix the problem that the condition names';
  return fail(`${title} is not Ready: ${reason}: ${ready?.message ?? ''}`, fix);
}

/** Queries every server for the zone. @throws the reason of the signal when it aborts */
export async function checkServers(
  { zoneName }: ZoneMatch,
  { servers, unresolved }: ResolvedServers,
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  if (servers.length === 0 && unresolved.length === 0) {
    return [fail(`${zoneName} has no name servers`, 'Is the operator running? It has not created the zone yet')];
  }
  const verdicts = await zoneServed({ zone: zoneName }, servers, { attempts: 2, signal });
  return [...unresolved.map(({ name, problem }) => unresolvedFinding(name, problem)), ...verdicts.map(serverFinding)];
}

function unresolvedFinding(name: string, problem: string): DoctorFinding {
  return fail(
    `Name server ${name} ${problem}`,
    'Give the name an address in DNS, or set its address in ZONESTEAD_NAMESERVER_ADDRESSES for the operator and for this command',
  );
}

function serverFinding({ server, ok: isOk, serial, node, problem }: ServerVerdict): DoctorFinding {
  const title = `Name server ${server.name} (${place(server)}${node === null ? '' : `, node ${node}`})`;
  if (isOk) return ok(`${title} serves the zone with serial ${serial}`);
  return fail(`${title} ${problem}`, 'Is knotd running there, and are UDP and TCP port 53 open?');
}

/** Judges the nodes as the operator saw them last. */
export function judgeNodes({ zone }: ZoneMatch): DoctorFinding[] {
  const { nodes, nodesCurrent } = zone.status ?? {};
  if (nodes === undefined) return [];
  const problems = nodes.filter(({ state }) => state === 'Behind');
  if (nodes.length === 0)
    return [
      warn('No node reports to the api', 'Is `zonestead nameserver` running? `zonestead nodes list` shows all nodes'),
    ];
  if (problems.length === 0) return [ok(`${nodesCurrent} nodes have the zone as it is stored`)];
  return problems.map(({ name, problem }) =>
    fail(problem ?? `node ${name} is behind`, `Read the log of node ${name}; \`zonestead nodes list\` shows its state`),
  );
}

/** Judges the secondaries as the operator saw them last. A hidden one keeps nothing from being Ready. */
export function judgeSecondaries({ zone }: ZoneMatch): DoctorFinding[] {
  return (zone.status?.secondaries ?? []).map(({ name, state, nameservers = [], problem }) => {
    if (state === 'Current') return ok(`Secondary ${name} has the zone`);
    const fix = `\`zonestead secondaries list\` shows it. Is the server of ${name} running, and does it reach a node?`;
    const counts = nameservers.length > 0 && zone.spec.readyWhen !== 'OwnNodes';
    return (counts && state !== 'Unknown' ? fail : warn)(problem ?? `secondary ${name} is not current`, fix);
  });
}

function place({ address, port }: NameServer): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Judges the delegation that the operator found at the parent. A certificate authority resolves names through it. */
export function judgeDelegation({ zone, zoneName }: ZoneMatch): DoctorFinding {
  const delegated = findCondition(zone.status?.conditions, 'Delegated');
  if (delegated?.status === 'True') return ok(`${zoneName} is delegated from its parent`);
  const servers = (zone.status?.nameservers ?? []).join(', ');
  const ds = zone.status?.ds?.[0]?.record;
  return warn(
    `${zoneName} has no confirmed delegation: ${delegated?.message ?? 'the operator has not checked it yet'}`,
    `At the parent: NS ${servers || '(see the status of the zone)'}${ds ? `, DS ${ds}` : ''}. A private zone needs no delegation if a private authority queries its name servers directly`,
  );
}
