// The rights of a token by a trust: those of the trust, with the names of the claims. Pure.
import type { TrustForToken } from '#store/trust-subjects.ts';
import type { TrustTerms } from '#store/trusts.ts';
import type { Actor } from '../accounts/actor.ts';
import { listLeaves } from './match.ts';
import { fillTemplate, hasTemplate } from './template.ts';

/** The names of a token, or a sentence that says why it has none. */
export function fillOnlyNames(
  { onlyNames, match }: Pick<TrustTerms, 'onlyNames' | 'match'>,
  claims: Readonly<Record<string, unknown>>,
): { ok: true; onlyNames: string[] | null } | { ok: false; sentence: string } {
  if (onlyNames === null || !onlyNames.some(hasTemplate)) return { ok: true, onlyNames };
  const leaves = listLeaves(match);
  const names: string[] = [];
  for (const pattern of onlyNames) {
    const filledName = fillTemplate(pattern, leaves, claims);
    if (!filledName.ok) return filledName;
    names.push(filledName.pattern);
  }
  return { ok: true, onlyNames: names };
}

/** The actor of a token. @param keyId the row of its subject */
export function actorOfTrust(
  trust: TrustForToken,
  { keyId, subject, onlyNames }: { keyId: string; subject: string; onlyNames: string[] | null },
): Actor {
  const { records, manageZones, clusters, signals, onlyTypes, expiresAt, zoneWrites, recordWrites } = trust;
  return {
    keyId,
    keyName: nameOfSubject(trust.name, subject),
    teamId: trust.teamId,
    teamName: trust.teamName,
    user: null,
    memberships: [],
    records,
    manageZones,
    clusters,
    signals,
    grants: new Map(trust.grants.map((grant) => [grant.zoneId, grant.records])),
    onlyNames,
    onlyTypes,
    expiresAt,
    zoneWrites,
    recordWrites,
    trust: { id: trust.id, name: trust.name, subject },
  };
}

/** The name of a subject in the history; renameSubjects writes the same. */
export function nameOfSubject(trust: string, subject: string): string {
  return `${trust}: ${subject}`;
}
