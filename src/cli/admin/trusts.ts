// `zonestead trusts …`: an administrator of the service creates, lists, revokes and tests trusts in the database.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { KeySource } from '#base/key-source.ts';
import { judgeLifetime } from '#base/lifetime.ts';
import {
  adminAcceptSubject,
  adminCreateTrust,
  adminExplainToken,
  adminListTrusts,
  adminReadTrust,
  adminRevokeTrust,
} from '#service/credentials/administration.ts';
import type { AcceptedSubject } from '#service/credentials/subjects.ts';
import type { ClaimMatch } from '#service/trusts/match.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { createTokenVerifier } from '#tokens/verifier.ts';
import { readInput } from '../input.ts';
import { type DryRunOption, sayer } from '../options.ts';
import { type Output, show } from '../output.ts';
import { table } from '../table.ts';
import { parseOptions, rightsOf, rightsOptions } from './keys.ts';

type Print = (line: string) => void;
type Config = { DATABASE_URL: string };

const options = z.object({
  ...rightsOptions,
  team: z.string().min(1),
  createTeam: z.boolean().optional(),
  name: z.string().min(1),
  issuer: z.string(),
  match: z.array(z.string()),
  audience: z.string(),
  jwksUrl: z.string().optional(),
  jwksFile: z.string().optional(),
  clusterKeys: z.boolean().optional(),
  tokenReview: z.boolean().optional(),
  caFile: z.string().optional(),
  privateAddresses: z.boolean().optional(),
  maxTokenAge: z.coerce.number({ error: 'must be a number' }),
  pinSubjects: z.enum(['yes', 'no']).optional(),
});
type Options = z.output<typeof options>;

/** @throws Error if an option is wrong */
export async function runTrustsCreate(
  config: Config,
  given: object,
  { print, signal }: { print: Print; signal: AbortSignal },
): Promise<void> {
  const wanted = parseOptions(options, given);
  const { team, createTeam, name, issuer, audience, maxTokenAge, pinSubjects, privateAddresses, caFile } = wanted;
  const tokens = {
    issuer,
    audience,
    maxTokenAge,
    privateAddresses,
    keySource: await keySourceOf(wanted, signal),
    match: readMatch(wanted.match),
    ca: caFile === undefined ? null : await readInput(caFile, signal),
    pinSubjects: pinSubjects === undefined ? undefined : pinSubjects === 'yes',
  };
  const input = { name, ...tokens, ...rightsOf(wanted) };
  const made = await adminCreateTrust(config.DATABASE_URL, { team, createTeam }, input, randomBytes, new Date());
  print(
    `trust ${made.id} of team ${made.team}: tokens of ${made.issuer} for the audience ${made.audience} are accepted`,
  );
  for (const { id, name: other, teamName } of made.revoked)
    print(
      `trust ${id} (${other}) of team ${teamName} accepted tokens of this trust, so it is revoked; that team needs an audience of its own`,
    );
}

async function keySourceOf(
  { jwksUrl, jwksFile, clusterKeys, tokenReview }: Options,
  signal: AbortSignal,
): Promise<KeySource> {
  const given = [jwksUrl, jwksFile, clusterKeys, tokenReview].filter((each) => each !== undefined);
  if (given.length > 1) throw new Error('give one of --jwks-url, --jwks-file, --cluster-keys and --token-review only');
  if (jwksUrl !== undefined) return { kind: 'jwks', url: jwksUrl };
  if (clusterKeys) return { kind: 'cluster' };
  if (tokenReview) return { kind: 'token-review' };
  if (jwksFile === undefined) return { kind: 'discovery' };
  const keys = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });
  const parsed = keys.safeParse(parseJson(await readInput(jwksFile, signal)));
  if (!parsed.success) throw new Error(`--jwks-file ${jwksFile} must contain a JSON Web Key Set: {"keys": […]}`);
  return { kind: 'pinned', jwks: parsed.data };
}

const claims: z.ZodType<ClaimMatch> = z.lazy(() => z.record(z.string(), z.union([z.string(), claims])));

/** Claims as `path/of/claim=value`, or as an object in JSON. */
export function readMatch(texts: readonly string[]): ClaimMatch {
  const match: ClaimMatch = {};
  for (const text of texts) {
    if (text.startsWith('{')) {
      const parsed = claims.safeParse(parseJson(text));
      if (!parsed.success) throw new Error(`--match ${text} must be an object of texts in JSON`);
      Object.assign(match, parsed.data);
      continue;
    }
    const at = text.indexOf('=');
    if (at < 1) throw new Error(`--match ${text} must be a claim, "=" and a value`);
    const path = text.slice(0, at).split('/');
    const last = path.pop() ?? '';
    let place = match;
    for (const name of path) {
      const below = Object.hasOwn(place, name) ? place[name] : undefined;
      if (typeof below === 'string') throw new Error(`--match ${text}: ${name} has a value already`);
      place = below ?? addBelow(place, name);
    }
    place[last] = text.slice(at + 1);
  }
  return match;
}

function addBelow(place: ClaimMatch, name: string): ClaimMatch {
  const below: ClaimMatch = {};
  place[name] = below;
  return below;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param team the name of the team whose trusts are listed; undefined: all */
export async function runTrustsList(config: Config, team: string | undefined, output: Output): Promise<void> {
  const now = new Date();
  const trusts = await adminListTrusts(config.DATABASE_URL, team ?? null);
  const rows = trusts.map((trust) => [
    trust.id,
    trust.team,
    trust.name,
    trust.issuer,
    JSON.stringify(trust.match),
    judgeLifetime(trust, now),
    String(trust.subjects),
    trust.lastUsedAt?.slice(0, 16) ?? 'never',
  ]);
  await show(output, { trusts }, () =>
    table(['ID', 'TEAM', 'NAME', 'ISSUER', 'MATCH', 'STATE', 'SUBJECTS', 'LAST USE'], rows, output.print),
  );
}

/** @throws Error if the trust does not exist */
export async function runTrustsShow(config: Config, id: string, output: Output): Promise<void> {
  const { known, ...trust } = await adminReadTrust(config.DATABASE_URL, id);
  await show(output, { ...trust, known }, () => {
    for (const [field, value] of Object.entries(trust)) {
      output.print(`${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
    }
    output.print('');
    const rows = known.map((each) => [
      each.subject,
      each.keyId,
      each.lastUsedAt?.slice(0, 16) ?? 'never',
      each.pinnedUid ?? '-',
    ]);
    table(['SUBJECT', 'ID', 'LAST USE', 'UID'], rows, output.print);
  });
}

/** @throws Error if the trust does not exist */
export async function runTrustsRevoke(config: Config, id: string, options: DryRunOption, print: Print): Promise<void> {
  const { name, team, subjects, lastUsedAt, revokedAt } = await adminRevokeTrust(
    config.DATABASE_URL,
    id,
    new Date(),
    options,
  );
  const say = sayer(print, options);
  say(`trust ${id} is revoked`);
  const use = lastUsedAt === null ? 'no token has used it' : `its last use was at ${lastUsedAt.slice(0, 16)}`;
  if (options.dryRun && revokedAt === null) say(`${name} of team ${team}: ${subjects} subjects, ${use}`);
}

/** @throws Error if the trust or the subject does not exist */
export async function runTrustsAccept(
  config: Config,
  id: string,
  wanted: AcceptedSubject,
  print: Print,
): Promise<void> {
  await adminAcceptSubject(config.DATABASE_URL, id, wanted, new Date());
  const of = wanted.uid === null ? 'its next token' : `the UID ${wanted.uid}`;
  print(`trust ${id} accepts ${wanted.subject} with ${of}`);
}

/** @returns the exit code: 1 if no trust accepts the token */
export async function runTrustsTest(
  config: Config,
  path: string,
  team: string | undefined,
  output: Output & { signal: AbortSignal },
): Promise<number> {
  const token = await readInput(path, output.signal);
  const log = createLogger({ name: 'trusts', level: 'silent' });
  const tokens = createTokenVerifier({ log, metrics: createMetrics() });
  const found = await adminExplainToken(config.DATABASE_URL, tokens, token, team ?? null, new Date());
  await show(output, found, () => {
    output.print(`issuer: ${found.issuer ?? 'none'}`);
    output.print(`subject: ${found.subject ?? 'none'}`);
    const verdict = found.verdicts.find(({ trust }) => trust === found.trust);
    output.print(
      found.trust === null ? 'no trust accepts this token' : `trust: ${found.trust} (${verdict?.name ?? ''})`,
    );
    if (verdict?.onlyNames != null) output.print(`names: ${verdict.onlyNames.join(', ')}`);
    for (const { trust, name, accepts, reason } of found.verdicts) {
      output.print(`${accepts ? '✓' : '✗'} ${trust} ${name}: ${reason}`);
    }
  });
  return found.trust === null ? 1 : 0;
}
