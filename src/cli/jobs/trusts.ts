// The trusts of the chart's values. Those without an issuer are for the tokens of service accounts of the cluster that
// the Job runs in.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { formatCause } from '#base/error-text.ts';
import { displayName } from '#contract/people.ts';
import { administratorTrustTerms } from '#contract/terms.ts';
import { tokenIssuer } from '#kube/api/token-issuer.ts';
import { applyDeclaredTrusts } from '#service/credentials/declared-trusts.ts';
import type { WantedTrust } from '#service/credentials/ensure-trust.ts';
import type { Logger } from '#telemetry/log.ts';
import type { BootstrapContext } from './context.ts';
import { jsonList } from './json-list.ts';

const terms = z.strictObject(administratorTrustTerms).partial().required({ match: true });
/** The values of the chart may forbid all writes. */
const writes = z.int().min(0).optional();
const trust = terms.omit({ grants: true, expiresAt: true }).extend({
  name: displayName,
  team: z.string().min(1).max(64).optional(),
  zones: z.array(z.string()).optional(),
  zoneWrites: writes,
  recordWrites: writes,
});
export type ChartTrust = z.output<typeof trust>;

/** The value of --trusts. */
export const chartTrusts = jsonList(trust, 'trusts');

/**
 * The issuer of the tokens of this cluster, if a trust is for them.
 * @throws Error if the API server does not tell it
 */
export async function issuerFor(
  all: readonly ChartTrust[],
  context: Pick<BootstrapContext, 'request'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (all.every(({ issuer }) => issuer !== undefined)) return undefined;
  try {
    return await tokenIssuer(context, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new Error(`the issuer of this cluster's tokens cannot be read: ${formatCause(cause)}`, { cause });
  }
}

/**
 * Makes the trusts of the service those of the values.
 * @param installation its place, whose other trusts are revoked, and the team and the issuer of trusts that name none
 * @throws Error that names the trust and its problem
 */
export async function applyTrusts(
  url: string,
  all: readonly ChartTrust[],
  installation: { place: string; team: string; issuer: string | undefined },
  log: Logger,
): Promise<void> {
  const { place, team, issuer: own } = installation;
  const declared = all.map(({ team: of = team, zones, issuer, keySource: source, ...terms }): WantedTrust => {
    const from = { keySource: source ?? { kind: issuer === undefined ? 'cluster' : 'discovery' } } as const;
    return { team: of, zones, terms: { ...terms, ...from, issuer: issuer ?? own ?? '' } };
  });
  for (const { name, state, awaitedZones, replaced } of await applyDeclaredTrusts(
    url,
    place,
    declared,
    randomBytes,
    new Date(),
  )) {
    log.info({ trust: name }, `the trust of the values is ${state}`);
    for (const { id, teamName } of replaced) {
      log.warn(
        { trust: name, revoked: id, team: teamName },
        'a trust of another team accepted tokens of this trust, so it is revoked; the team needs an audience of its own',
      );
    }
    for (const zone of awaitedZones) {
      log.warn(
        { trust: name, zone },
        'the team has no such zone yet; the trust gets its right on the zone as soon as the team creates it',
      );
    }
  }
}
