// Faults in the choice of a trust, and in the issuers and audiences that belong to a team.
import type { Fault } from '../fault.ts';

const CHOOSE = 'src/service/trusts/choose.ts';
const RESERVATIONS = 'src/service/trusts/reservations.ts';
const SUBJECTS = 'src/store/trust-subjects.ts';

const fault = (name: string, breaks: string, test: string, file: string, find: string, replace: string): Fault => ({
  name: `trusts-${name}`,
  breaks,
  edits: [{ file, find, replace }],
  project: 'integration',
  tests: [`test/integration/${test}.test.ts`],
});

export const TRUST_FAULTS: readonly Fault[] = [
  fault(
    'open',
    'a later trust is used while the keys of an earlier one cannot be fetched',
    'service/trusts/order',
    CHOOSE,
    'if (OPEN.has(problem.code)) return',
    'if (OPEN.has(problem.code) && problem.retryAfterS === 0) return',
  ),
  fault(
    'outranked',
    'a trust of a team takes tokens of the administrator',
    'service/trusts/order',
    CHOOSE,
    'if (!isOutranked) return true;',
    'if (!isOutranked || issuer !== "") return true;',
  ),
  fault(
    'shared-issuer',
    'a trust of the administrator in GitHub takes the tokens of all teams',
    'service/trusts/order',
    CHOOSE,
    'if (sharedIssuer(issuer) === null) return false;',
    'if (sharedIssuer(issuer) !== undefined) return false;',
  ),
  fault(
    'admin-first',
    'an older trust of a member comes before that of the administrator',
    'service/trusts/token-trusts',
    SUBJECTS,
    't.created_by is not null, t.created_at',
    't.created_at',
  ),
  fault(
    'team-audience',
    'a team may use the audience of another team',
    'service/trusts/trust-issuers',
    RESERVATIONS,
    'TEAM_AUDIENCE.exec(audience)?.[1] ?? teamId',
    'TEAM_AUDIENCE.exec("")?.[1] ?? teamId',
  ),
  fault(
    'expired-reserves',
    'an expired trust keeps issuer and audience from other teams',
    'service/trusts/trust-issuers',
    'src/store/trusts.ts',
    'alias}.expires_at > ',
    'alias}.expires_at <> ',
  ),
  fault(
    'prolonged',
    'a prolonged trust takes tokens that another team has now',
    'service/trusts/trust-issuers',
    'src/service/credentials/trusts.ts',
    'row === null || isProlonged(row, terms, now) ||',
    'row === null ||',
  ),
  fault(
    'own-cluster',
    'a team trusts the issuer of the cluster of the service',
    'service/trusts/trust-issuers',
    RESERVATIONS,
    ' || (await isClusterIssuer(tx, issuer))',
    '',
  ),
  fault(
    'default-cluster',
    'a team trusts the default issuer of clusters',
    'service/trusts/trust-issuers',
    RESERVATIONS,
    'CLUSTER_ISSUER.test(issuer) || ',
    '',
  ),
  fault(
    'owners',
    'teams with different owners at GitHub cannot share an audience',
    'service/trusts/trust-issuers',
    RESERVATIONS,
    '!nameDifferentOwners(shared, leaves, listLeaves(match))',
    '(nameDifferentOwners(shared, leaves, listLeaves(match)) || true)',
  ),
  fault(
    'revoked-others',
    'the trust of a team stays when the administrator trusts its issuer',
    'service/trusts/trust-issuers',
    'src/service/credentials/trusts.ts',
    'revoked: await revokeSharing(work, terms)',
    'revoked: []',
  ),
  fault(
    'restored-grant',
    'a right that a person took from a key comes back with a restored zone',
    'service/undo/zone',
    'src/store/deleted-zones.ts',
    'coalesce(h.rights_changed_at <= z.deleted_at, true)',
    'coalesce(h.rights_changed_at <= now(), true)',
  ),
  fault(
    'restored-history',
    'a right that came back with a restored zone is in no history',
    'service/undo/zone',
    'src/service/undo/zone.ts',
    '    await recordGrants(tx, caller, zone, keptGrants, context.now());\n',
    '',
  ),
];
