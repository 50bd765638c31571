// The DNSRecord that stands for one value of one challenge: two values at one name (apex and wildcard, two clusters) are two
// objects and never meet. Pure.
import { createHash } from 'node:crypto';
import type { Draft } from '../kube/api.ts';
import { kubeTime } from '../kube/conditions.ts';
import { apiVersionOf } from '../kube/resource.ts';
import type { DNSRecord } from '../operator/resources/dnsrecord.ts';
import { CHALLENGE, type Tenant } from './challenge.ts';
import {
  CHALLENGE_ANNOTATION,
  CHALLENGE_LABEL,
  CHALLENGE_UID_ANNOTATION,
  DNS_NAME_ANNOTATION,
  EXPIRES_ANNOTATION,
  MANAGED_BY,
  SOLVER_MANAGER,
} from './names.ts';
import type { ChallengeRequest } from './payload.ts';
import type { ZoneMatch } from './zone-match.ts';

/** No order of a certificate authority stays open longer; what is left then is a leak (cert-manager/cert-manager#3640). */
const LIFETIME_MS = 24 * 60 * 60_000;
/** Seconds. Long enough to be worth an answer, short enough for a second attempt at the same name. */
export const DEFAULT_TTL = 60;
const SHORTEST_TTL = 30;
const LONGEST_TTL = 3_600;

/** Of `webhook.config`: whoever may create an Issuer writes it, so it holds nothing but a bounded number. */
export interface SolverConfig {
  readonly ttl: number;
  /** Fields that mean nothing here; worth a line in the log. */
  readonly unknown: readonly string[];
}

export function readSolverConfig(config: unknown): SolverConfig {
  const fields = typeof config === 'object' && config !== null ? (config as Record<string, unknown>) : {};
  const { ttl, ...others } = fields;
  const given = typeof ttl === 'number' && Number.isInteger(ttl) ? ttl : DEFAULT_TTL;
  return { ttl: Math.min(Math.max(given, SHORTEST_TTL), LONGEST_TTL), unknown: Object.keys(others) };
}

/** The label that CleanUp finds the record by: of what the Challenge is about, not of where a CNAME led. */
export function challengeLabel({ dnsName, key }: Pick<ChallengeRequest, 'dnsName' | 'key'>): string {
  return hash(dnsName, key, 40);
}

export function recordName({ resolvedFQDN, key }: Pick<ChallengeRequest, 'resolvedFQDN' | 'key'>): string {
  return `acme-${hash(resolvedFQDN, key, 32)}`;
}

/** @param namespace where the object goes: the tenant's, or the zone's where the tenant has none in this cluster */
export function challengeRecord(
  request: ChallengeRequest,
  match: ZoneMatch,
  tenant: Tenant,
  namespace: string,
  now: Date,
): Draft<DNSRecord> {
  const { challenge } = tenant;
  const { metadata } = match.zone;
  const key = challenge && `${challenge.metadata.namespace}/${challenge.metadata.name}`;
  const owner = challenge && {
    apiVersion: apiVersionOf(CHALLENGE),
    kind: CHALLENGE.kind,
    name: challenge.metadata.name,
    uid: challenge.metadata.uid ?? '',
  };
  return {
    metadata: {
      namespace,
      name: recordName(request),
      labels: { [MANAGED_BY]: SOLVER_MANAGER, [CHALLENGE_LABEL]: challengeLabel(request) },
      annotations: {
        [DNS_NAME_ANNOTATION]: request.dnsName,
        [EXPIRES_ANNOTATION]: kubeTime(new Date(now.getTime() + LIFETIME_MS)),
        ...(key === undefined ? {} : { [CHALLENGE_ANNOTATION]: key }),
        ...(challenge === undefined ? {} : { [CHALLENGE_UID_ANNOTATION]: challenge.metadata.uid ?? '' }),
      },
      ...(owner !== undefined && challenge?.metadata.namespace === namespace ? { ownerReferences: [owner] } : {}),
    },
    spec: {
      zoneRef: { name: metadata.name, namespace: metadata.namespace },
      name: match.relative,
      type: 'TXT',
      content: request.key,
      ttl: readSolverConfig(request.config).ttl,
    },
  };
}

export function isOurs({ metadata }: Pick<DNSRecord, 'metadata'>): boolean {
  return metadata.labels?.[MANAGED_BY] === SOLVER_MANAGER;
}

function hash(name: string, key: string, digits: number): string {
  // No name holds a line feed, so no two pairs give one text.
  return createHash('sha256').update(`${name}\n${key}`).digest('hex').slice(0, digits);
}
