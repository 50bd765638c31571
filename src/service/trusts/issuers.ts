// Issuers that give tokens to every account there. A trust in such an issuer must name an owner, and only claims that
// the issuer sets identify an account: every account chooses the name of a branch or of a workflow. Pure.
import type { Leaf } from './match.ts';

interface SharedIssuer {
  name: string;
  issuer: RegExp;
  /** The claims that name the owner, with the form that the pattern must have. */
  owners: Readonly<Record<string, RegExp>>;
  /** The name of the owner in claims that contain it: the first group of the pattern. */
  ownerIn: Readonly<Record<string, RegExp>>;
  /** The claims that the issuer sets, and that a template may stand for although the trust accepts several values. */
  set: readonly string[];
  example: string;
}

const EXACT = /^[^*]+$/;
/** `owner/…`: `*` comes after the first slash. */
const BELOW_OWNER = /^[^*/]+\/./;

const SHARED: readonly SharedIssuer[] = [
  {
    name: 'GitHub Actions',
    issuer: /^https:\/\/token\.actions\.githubusercontent\.com(\/|$)/,
    owners: {
      repository: BELOW_OWNER,
      repository_id: EXACT,
      repository_owner: EXACT,
      repository_owner_id: EXACT,
      sub: /^repo:[^*/:]+\/./,
    },
    ownerIn: {
      repository: /^([^*/]+)\//,
      repository_owner: /^([^*]+)$/,
      sub: /^repo:([^*/:@]+)[/@]/,
    },
    set: ['repository_id', 'repository_owner_id', 'repository_owner'],
    example: '"repository": "owner/name"',
  },
  {
    name: 'GitLab.com',
    issuer: /^https:\/\/gitlab\.com\/?$/,
    owners: {
      project_path: BELOW_OWNER,
      project_id: EXACT,
      namespace_path: /^[^*/]+(\/.+)?$/,
      namespace_id: EXACT,
      sub: /^project_path:[^*/:]+\/./,
    },
    ownerIn: {
      project_path: /^([^*/]+)\//,
      namespace_path: /^([^*/]+)/,
      sub: /^project_path:([^*/:]+)\//,
    },
    set: ['project_id', 'namespace_id'],
    example: '"project_path": "group/project"',
  },
  {
    name: 'Google',
    issuer: /^https:\/\/accounts\.google\.com\/?$/,
    owners: { sub: EXACT, email: EXACT, hd: EXACT },
    ownerIn: {},
    set: [],
    example: '"sub": "1136…"',
  },
];

export function sharedIssuer(issuer: string): SharedIssuer | null {
  return SHARED.find((each) => each.issuer.test(issuer)) ?? null;
}

/** Whether one of the claims fixes the owner. */
export function namesOwner({ owners }: SharedIssuer, leaves: readonly Leaf[]): boolean {
  return leaves.some(({ path: [name = '', ...below], pattern }) => {
    return below.length === 0 && Object.hasOwn(owners, name) && owners[name]?.test(pattern) === true;
  });
}

/**
 * Whether the claims name different owners, so that no token has the claims of both: the same claim has another exact
 * value, or the owner in a claim has another name. An id and a name are not compared.
 */
export function nameDifferentOwners(
  { owners, ownerIn }: SharedIssuer,
  one: readonly Leaf[],
  other: readonly Leaf[],
): boolean {
  const findPattern = (leaves: readonly Leaf[], name: string) =>
    leaves.find(({ path }) => path.length === 1 && path[0] === name)?.pattern;
  const isApart = Object.keys(owners).some((name) => {
    const [a, b] = [findPattern(one, name), findPattern(other, name)];
    return a !== undefined && b !== undefined && EXACT.test(a) && EXACT.test(b) && a !== b;
  });
  if (isApart) return true;
  const namesIn = (leaves: readonly Leaf[]) =>
    Object.entries(ownerIn).flatMap(
      ([name, form]) => form.exec(findPattern(leaves, name) ?? '')?.[1]?.toLowerCase() ?? [],
    );
  const [names, otherNames] = [namesIn(one), namesIn(other)];
  return names.some((name) => otherNames.some((otherName) => otherName !== name));
}
