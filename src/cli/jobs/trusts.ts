// The trusts of the chart's values. Those without an issuer are for the tokens of service accounts of the cluster that
// the Job runs in.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { tokenIssuer } from '#kube/api/token-issuer.ts';
import { applyDeclaredTrusts } from '#service/credentials/declared-trusts.ts';
import type { WantedTrust } from '#service/credentials/ensure-trust.ts';
import type { ClaimMatch } from '#service/trusts/match.ts';
import type { Logger } from '#telemetry/log.ts';
import type { BootstrapContext } from './context.ts';
import { jsonList } from './json-list.ts';
import { reason } from './reason.ts';

const level = z.enum(['none', 'read', 'write']);
const texts = z.array(z.string());
const match: z.ZodType<ClaimMatch> = z.lazy(() => z.record(z.string(), z.union([z.string(), match])));
const keySource = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('discovery') }),
  z.strictObject({ kind: z.literal('jwks'), url: z.string() }),
  z.strictObject({ kind: z.literal('pinned'), jwks: z.object({ keys: z.array(z.looseObject({})) }) }),
  z.strictObject({ kind: z.literal('cluster') }),
  z.strictObject({ kind: z.literal('token-review') }),
]);
const trust = z.strictObject({
  name: z.string().min(1).max(64),
  team: z.string().min(1).max(64).optional(),
  issuer: z.string().optional(),
  audience: z.string().optional(),
  keySource: keySource.optional(),
  ca: z.string().optional(),
  privateAddresses: z.boolean().optional(),
  match,
  zones: texts.optional(),
  records: level.optional(),
  manageZones: level.optional(),
  clusters: z.enum(['none', 'write']).optional(),
  onlyNames: texts.optional(),
  onlyTypes: texts.optional(),
  networks: texts.optional(),
  zoneWrites: z.int().min(0).optional(),
  recordWrites: z.int().min(0).optional(),
  maxTokenAge: z.int().optional(),
  pinSubjects: z.boolean().optional(),
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
    throw new Error(`the issuer of this cluster's tokens cannot be read: ${reason(cause)}`, { cause });
  }
}

/**
 * Makes the trusts of the service those of the values.
 * @param at the installation, whose other trusts are revoked; the team and the issuer of trusts that name none
 * @throws Error that names the trust and its problem
 */
export async function applyTrusts(
  url: string,
  all: readonly ChartTrust[],
  { place, team, issuer: own }: { place: string; team: string; issuer: string | undefined },
  log: Logger,
): Promise<void> {
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
