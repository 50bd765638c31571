// The DNSRecord for one value of one challenge. Two values at one name (apex and wildcard, or two clusters) are two
// objects and never conflict. Pure.
import { createHash } from 'node:crypto';
import type { Draft } from '#kube/api/api.ts';
import { kubeTime } from '#kube/objects/conditions.ts';
import { apiVersionOf } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { CHALLENGE, type Tenant } from './challenge.ts';
import {
  CHALLENGE_ANNOTATION,
  CHALLENGE_HASH_LABEL,
  CHALLENGE_UID_ANNOTATION,
  DNS_NAME_ANNOTATION,
  EXPIRES_ANNOTATION,
  MANAGED_BY_LABEL,
  SOLVER_MANAGER,
} from './names.ts';
import type { ChallengeRequest } from './payload.ts';
import type { ZoneMatch } from './zone-match.ts';

/**
 * No order of a certificate authority stays open longer, so an older record is a leak (cert-manager/cert-manager#3640).
 */
const LIFETIME_MS = 24 * 60 * 60_000;
/** Seconds. Long enough that resolvers cache the answer, short enough for a second attempt at the same name. */
export const CHALLENGE_TTL = 60;
const SHORTEST_TTL = 30;
const LONGEST_TTL = 3_600;

/** From `webhook.config`. Everyone who may create an Issuer can write it, so it contains only a bounded number. */
export interface SolverConfig {
  readonly ttl: number;
  /** Fields that the solver does not know; it logs them. */
  readonly unknown: readonly string[];
}

export function readSolverConfig(config: unknown): SolverConfig {
  const fields = typeof config === 'object' && config !== null ? (config as Record<string, unknown>) : {};
  const { ttl, ...others } = fields;
  const givenTtl = typeof ttl === 'number' && Number.isInteger(ttl) ? ttl : CHALLENGE_TTL;
  return { ttl: Math.min(Math.max(givenTtl, SHORTEST_TTL), LONGEST_TTL), unknown: Object.keys(others) };
}

/**
 * The label by which CleanUp finds the record. It is made from the Challenge's name, not from the target of a CNAME.
 */
export function challengeLabel({ dnsName, key }: Pick<ChallengeRequest, 'dnsName' | 'key'>): string {
  return hash(dnsName, key, 40);
}

function recordName({ resolvedFQDN, key }: Pick<ChallengeRequest, 'resolvedFQDN' | 'key'>): string {
  return `acme-${hash(resolvedFQDN, key, 32)}`;
}

/** @param namespace the object's: the tenant's, or the zone's if the tenant has none in this cluster */
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
      labels: { [MANAGED_BY_LABEL]: SOLVER_MANAGER, [CHALLENGE_HASH_LABEL]: challengeLabel(request) },
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
  return metadata.labels?.[MANAGED_BY_LABEL] === SOLVER_MANAGER;
}

function hash(name: string, key: string, digits: number): string {
  // A name cannot contain a line feed, so two pairs never have the same text.
  return createHash('sha256').update(`${name}\n${key}`).digest('hex').slice(0, digits);
}
