// From a name to the name servers: the zone that covers it, its grant, its state, its servers, its delegation. Judgements are
// pure; only the servers are asked.
import { findCondition } from '../../kube/conditions.ts';
import { type NameServer, type ResolvedServers, type ServerVerdict, zoneServed } from '../../nameserver/probe.ts';
import type { DNSZone } from '../../operator/resources/dnszone.ts';
import { acmeRefusal, titleOf } from '../../solver/grant.ts';
import { matchZone, type ZoneMatch, zoneNameIndex } from '../../solver/zone-match.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** The zone that a challenge for this name would be in. @param name as in a Certificate */
export function findZone(name: string, zones: readonly DNSZone[]): ZoneMatch | Finding {
  const plain = name.toLowerCase().replace(/^\*\./, '').replace(/\.$/, '');
  const match = matchZone(`_acme-challenge.${plain}`, (zoneName) =>
    zones.filter((zone) => zoneNameIndex(zone).includes(zoneName)),
  );
  if (match !== undefined) return match;
  return fail(
    `No DNSZone covers ${plain}`,
    'Create a DNSZone for it or for a name above it; kubectl get zdz -A shows what there is',
  );
}

export function judgeGrant(
  match: ZoneMatch,
  tenant: string,
  labelsOf: (namespace: string) => Readonly<Record<string, string>> | undefined,
): Finding {
  const title = titleOf(match.zone);
  const refusal = acmeRefusal(match, tenant, labelsOf);
  if (refusal === null) return ok(`${title} takes ACME challenges from namespace ${tenant}`);
  return fail(refusal, `kubectl -n ${match.zone.metadata.namespace} edit zdz ${match.zone.metadata.name}`);
}

export function judgeZone({ zone, zoneName }: ZoneMatch): Finding {
  const title = titleOf(zone);
  const ready = findCondition(zone.status?.conditions, 'Ready');
  if (zone.spec.parked) {
    return fail(`${title} is parked: nothing but its apex is answered`, 'Set spec.parked to false');
  }
  if (ready?.status === 'True') return ok(`${title} (${zoneName}) is Ready`);
  const reason = ready?.reason ?? 'Pending';
  const mend =
    reason === 'Pending'
      ? 'Is the operator running? Nobody has looked at the object yet'
      : 'Mend what the condition says';
  return fail(`${title} is not Ready: ${reason}: ${ready?.message ?? ''}`, mend);
}

/** Asks every server for the zone. @throws the signal's reason when it aborts */
export async function checkServers(
  { zoneName }: ZoneMatch,
  { servers, unresolved }: ResolvedServers,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (servers.length === 0 && unresolved.length === 0) {
    return [fail(`${zoneName} has no name servers`, 'Is the operator running? The zone has never been made')];
  }
  const verdicts = await zoneServed({ zone: zoneName }, servers, { attempts: 2, signal });
  return [...unresolved.map(({ name, problem }) => unresolvedFinding(name, problem)), ...verdicts.map(serverFinding)];
}

function unresolvedFinding(name: string, problem: string): Finding {
  return fail(
    `Name server ${name} ${problem}`,
    'Give the name an address in DNS, or name it in ZONESTEAD_NAMESERVER_ADDRESSES (operator and doctor) when it is hidden',
  );
}

function serverFinding({ server, ok: isOk, problem }: ServerVerdict): Finding {
  const title = `Name server ${server.name} (${place(server)})`;
  if (isOk) return ok(`${title} answers for the zone`);
  return fail(`${title} ${problem}`, 'Is PowerDNS running there, and are UDP and TCP port 53 open?');
}

function place({ address, port }: NameServer): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** What the operator found at the parent; a certificate authority goes that way. */
export function judgeDelegation({ zone, zoneName }: ZoneMatch): Finding {
  const delegated = findCondition(zone.status?.conditions, 'Delegated');
  if (delegated?.status === 'True') return ok(`${zoneName} is delegated from its parent`);
  const servers = (zone.status?.nameservers ?? []).join(', ');
  const ds = zone.status?.ds?.[0]?.record;
  return warn(
    `${zoneName} is not known to be delegated: ${delegated?.message ?? 'nobody has looked'}`,
    `At the parent: NS ${servers || '(see the status of the zone)'}${ds ? `, DS ${ds}` : ''}. A private zone that a private authority asks directly needs none`,
  );
}
