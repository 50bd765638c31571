// The claims that a trust demands of a token. A claim is demanded by a pattern, in which `*` matches any run of
// characters; an object demands claims of an object. A claim with several values needs one that matches. Pure.
import { matchesPattern } from '#dns/names/pattern.ts';
import { accept, clip, refuse, type Verdict } from '#dns/verdict.ts';
import type { ClaimMatch } from '#store/trusts.ts';

export type { ClaimMatch } from '#store/trusts.ts';

/** A demanded claim. */
export interface Leaf {
  path: readonly string[];
  pattern: string;
}

type Fields = Readonly<Record<string, unknown>>;

const MAX_LEAVES = 16;
const MAX_DEPTH = 4;
const MAX_PATTERN = 512;
const MAX_NAME = 128;
/** A UUID in Kubernetes. */
const MAX_UID = 128;
/** The verification compares them itself, or they differ in each token. */
const NOT_MATCHED: ReadonlySet<string> = new Set(['iss', 'aud', 'exp', 'iat', 'nbf', 'jti']);

/** All demanded claims. */
export function listLeaves(match: ClaimMatch, above: readonly string[] = []): Leaf[] {
  return Object.entries(match).flatMap(([name, value]) => {
    const path = [...above, name];
    return typeof value === 'string' ? [{ path, pattern: value }] : listLeaves(value, path);
  });
}

export function judgeMatch(match: ClaimMatch): Verdict<ClaimMatch> {
  const leaves = listLeaves(match);
  if (leaves.length === 0 || leaves.length > MAX_LEAVES) {
    return refuse('match', `it must demand 1 to ${MAX_LEAVES} claims, such as {"sub": "…"}.`);
  }
  for (const { path, pattern } of leaves) {
    const field = `match.${path.join('.')}`;
    if (path.length > MAX_DEPTH || path.some((name) => name === '' || name.length > MAX_NAME || hasControls(name))) {
      return refuse(
        'match',
        `the claim ${clip(path.join('.'))} is nested too deeply, or its name is empty or too long.`,
      );
    }
    if (pattern === '' || pattern.length > MAX_PATTERN || hasControls(pattern)) {
      return refuse(field, `${clip(pattern)} must have 1 to ${MAX_PATTERN} characters on one line.`);
    }
    if (path.length === 1 && NOT_MATCHED.has(path[0] ?? '')) {
      return refuse(field, 'this claim identifies no subject; issuer, audience and times are checked for every token.');
    }
  }
  return accept(match);
}

const hasControls = (text: string) => /\p{C}/u.test(text);

/** The first demanded claim that the token does not have; null: it has all. */
export function missingClaim(leaves: readonly Leaf[], claims: Fields): Leaf | null {
  return (
    leaves.find(({ path, pattern }) => !valuesAt(claims, path).some((text) => matchesPattern(pattern, text))) ?? null
  );
}

/** The value of a claim with one value; null: it has none, or several. */
export function claimAt(claims: Fields, path: readonly string[]): string | null {
  const value = fieldAt(claims, path);
  return typeof value === 'string' ? value : null;
}

/** The UID of a Kubernetes service account; null: the token has none, or one that is none. */
export function readUid(claims: Fields): string | null {
  const uid = claimAt(claims, ['kubernetes.io', 'serviceaccount', 'uid']);
  return uid === null || uid === '' || uid.length > MAX_UID || hasControls(uid) ? null : uid;
}

/** The audiences of a token, of which one must be that of the trust. */
export function readAudiences({ aud }: Fields): string[] {
  return [aud].flat().flatMap((each) => (typeof each === 'string' && !hasControls(each) ? each : []));
}

function valuesAt(claims: Fields, path: readonly string[]): string[] {
  const value = fieldAt(claims, path);
  return (Array.isArray(value) ? value : [value]).flatMap((each) => asText(each) ?? []);
}

function asText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

function fieldAt(claims: Fields, path: readonly string[]): unknown {
  let value: unknown = claims;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Fields)[name];
  }
  return value;
}

const factOf = (path: readonly string[], value: string) => `${path.join('.')}=${value}`;

/** The demanded claims that have one value only, as texts. A token that matches has all of them among its own facts. */
export function factsOfMatch(match: ClaimMatch): string[] {
  return listLeaves(match).flatMap(({ path, pattern }) => (pattern.includes('*') ? [] : factOf(path, pattern)));
}

/** All claims of a token as texts, as {@link factsOfMatch} writes them. */
export function factsOfToken(claims: Fields, above: readonly string[] = []): string[] {
  return Object.entries(claims).flatMap(([name, value]) => {
    // No trust demands such a claim, and Postgres would refuse the look-up, which other requests share.
    if (hasControls(name)) return [];
    const path = [...above, name];
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return path.length < MAX_DEPTH ? factsOfToken(value as Fields, path) : [];
    }
    return (Array.isArray(value) ? value : [value]).flatMap((each) => {
      const text = asText(each);
      return text === null || hasControls(text) ? [] : factOf(path, text);
    });
  });
}
