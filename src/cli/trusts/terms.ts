// The options of the tokens that a trust accepts, and the terms that they ask for: over the REST API and over the
// database.
import { z } from 'zod';
import type { OptionDescription } from '../command.ts';
import { readInput } from '../input.ts';
import { type RightsGiven, rightsOf, withoutUndefined } from '../terms.ts';

/** The options as commander gives them. The last four are those of the administrator. */
export interface TrustGiven extends RightsGiven {
  name?: string;
  issuer?: string;
  match?: readonly string[];
  audience?: string;
  jwksUrl?: string;
  jwksFile?: string;
  discovery?: boolean;
  maxTokenAge?: string;
  pinSubjects?: string;
  clusterKeys?: boolean;
  tokenReview?: boolean;
  caFile?: string;
  privateAddresses?: boolean;
}

export const NAME: OptionDescription = { flags: '--name <name>', describe: 'purpose of the trust' };
export const ISSUER: OptionDescription = {
  flags: '--issuer <issuer>',
  describe: 'issuer of the tokens (iss): an https:// address, or spiffe:// with a trust domain',
  isRequired: true,
};
export const MATCH: OptionDescription = {
  flags: '--match <claim=value>',
  describe:
    'a claim that a token must have; * matches any run of characters; / separates the names of nested claims, for instance kubernetes.io/namespace=team-a; or an object in JSON',
  value: 'list',
};
export const AUDIENCE: OptionDescription = {
  flags: '--audience <audience>',
  describe: 'audience that a token must have',
};
export const KEY_OPTIONS: readonly OptionDescription[] = [
  { flags: '--jwks-url <address>', describe: 'read the keys of the issuer, or a SPIFFE bundle, from this address' },
  { flags: '--jwks-file <path>', describe: 'pin the keys in this file, a JSON Web Key Set' },
];
export const MAX_TOKEN_AGE: OptionDescription = {
  flags: '--max-token-age <seconds>',
  describe: 'longest lifetime of a token, from 60 to 3600',
};
export const PIN_SUBJECTS: OptionDescription = {
  flags: '--pin-subjects <choice>',
  describe:
    'whether to keep the UID of a service account from its first request on, and refuse an account that was created again; without it: yes if --match accepts several namespaces',
  choices: ['yes', 'no'],
};
export const TEMPLATES = `Without an option for the keys, the issuer is asked for them (OpenID Connect Discovery). A template in --only-name stands for a claim of --match: \${namespace} and \${serviceaccount} are those of a Kubernetes token.`;

/** The fields of the contract that the options set. @throws Error if a file cannot be read, or has another form */
export async function trustFields(given: TrustGiven, signal: AbortSignal): Promise<Record<string, unknown>> {
  const { name, issuer, match, audience, maxTokenAge, pinSubjects, privateAddresses, caFile } = given;
  return withoutUndefined({
    name,
    issuer,
    audience,
    privateAddresses,
    maxTokenAge: maxTokenAge === undefined ? undefined : Number(maxTokenAge),
    keySource: await keySourceOf(given, signal),
    match: match === undefined ? undefined : readMatch(match),
    ca: caFile === undefined ? undefined : await readInput(caFile, signal),
    pinSubjects: pinSubjects === undefined ? undefined : pinSubjects === 'yes',
    ...rightsOf(given),
  });
}

/** Undefined without an option: a new trust asks the issuer then. */
async function keySourceOf(
  { jwksUrl, jwksFile, clusterKeys, tokenReview, discovery }: TrustGiven,
  signal: AbortSignal,
): Promise<unknown> {
  const given = [jwksUrl, jwksFile, clusterKeys, tokenReview, discovery].filter((each) => each !== undefined);
  if (given.length > 1) {
    const others =
      discovery === undefined ? '--jwks-file, --cluster-keys and --token-review' : '--jwks-file and --discovery';
    throw new Error(`give one of --jwks-url, ${others} only`);
  }
  if (jwksUrl !== undefined) return { kind: 'jwks', url: jwksUrl };
  if (clusterKeys) return { kind: 'cluster' };
  if (tokenReview) return { kind: 'token-review' };
  if (discovery) return { kind: 'discovery' };
  if (jwksFile === undefined) return undefined;
  const keys = z.object({ keys: z.array(z.record(z.string(), z.unknown())) });
  const parsed = keys.safeParse(parseJson(await readInput(jwksFile, signal)));
  if (!parsed.success) throw new Error(`--jwks-file ${jwksFile} must contain a JSON Web Key Set: {"keys": […]}`);
  return { kind: 'pinned', jwks: parsed.data };
}

type ClaimMatch = { [claim: string]: string | ClaimMatch };

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
