// Issuer and audience belong to one team, because a token belongs to one trust. The issuers of the administrator are
// not for teams, and the audience that a team has by default is not for other teams, so no team can reserve the issuer
// of another one.
import type { Tx } from '#store/database.ts';
import { isClusterIssuer, type SharingTrust, sharingTrusts, type TrustTerms } from '#store/trusts.ts';
import { refusal } from '../refusal.ts';
import { nameDifferentOwners, sharedIssuer } from './issuers.ts';
import { listLeaves } from './match.ts';
import { indexOfTrust } from './terms.ts';

/** The default issuer of clusters: a token of any of them has it, also one of the cluster of the service. */
const CLUSTER_ISSUER = /^https:\/\/kubernetes\.default\.svc(?![a-z0-9-])/i;
/** The audience of a team's trusts by default. */
const TEAM_AUDIENCE = /^zonestead\/(team_[0-9a-z]+)$/;

export function audienceOfTeam(teamId: string): string {
  return `zonestead/${teamId}`;
}

/**
 * Checks issuer and audience of a trust that a member of a team makes, prolongs, or changes to accept other tokens.
 * @throws Refusal bad_request
 */
export async function mustHaveOwnTokens(tx: Tx, teamId: string, terms: TrustTerms, now: Date): Promise<void> {
  const { issuer, audience } = terms;
  if (CLUSTER_ISSUER.test(issuer) || (await isClusterIssuer(tx, issuer)))
    throw refusal('trust-issuer-reserved', { issuer });
  const owner = TEAM_AUDIENCE.exec(audience)?.[1] ?? teamId;
  const sharing = owner === teamId ? await findSharing(tx, teamId, terms, now) : null;
  if (sharing === null || sharing.length > 0)
    throw refusal('trust-audience-taken', { audience, own: audienceOfTeam(teamId) });
}

/** The valid trusts of other teams that may accept a token of this trust. */
export async function findSharing(
  tx: Tx,
  teamId: string,
  terms: TrustTerms,
  now: Date,
): Promise<readonly SharingTrust[]> {
  const { kids } = indexOfTrust(terms);
  const sharing = await sharingTrusts(tx, { ...terms, teamId, kids }, now);
  const shared = sharedIssuer(terms.issuer);
  if (shared === null) return sharing;
  const leaves = listLeaves(terms.match);
  return sharing.filter(({ match }) => !nameDifferentOwners(shared, leaves, listLeaves(match)));
}
