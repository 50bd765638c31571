// Refuses trusts that would give names to every holder of a token of the issuer. Pure.
import { accept, clip, refuse, type Verdict } from '#dns/verdict.ts';
import type { TrustTerms } from '#store/trusts.ts';
import { namesOwner, sharedIssuer } from './issuers.ts';
import { type Leaf, listLeaves } from './match.ts';
import { hasTemplate, listClaims } from './template.ts';

const SERVICE_ACCOUNT = 'system:serviceaccount:';
const NAMESPACE = 'kubernetes.io.namespace';

/** @param terms after all other checks */
export function judgeOpenness(terms: TrustTerms): Verdict<null> {
  const leaves = listLeaves(terms.match);
  const shared = sharedIssuer(terms.issuer);
  if (shared !== null) {
    if (!namesOwner(shared, leaves)) {
      const claims = Object.keys(shared.owners).join(', ');
      return refuse(
        'match',
        `every account at ${shared.name} gets such tokens: name the owner by one of ${claims}, without "*" in the part of the owner, for instance ${shared.example}.`,
      );
    }
    return judgeChosenClaims(terms, leaves, shared);
  }
  if (!hasRights(terms) || leaves.some((leaf) => isRestriction(leaf, leaves))) return accept(null);
  for (const [field, effect] of [
    ['manageZones', 'manage zones'],
    ['clusters', 'speak for the clusters of the team'],
  ] as const) {
    if (terms[field] !== 'none')
      return refuse(
        field,
        `such a trust would let every holder of a token of the issuer ${effect}, because "match" accepts every value: name the accepted ones.`,
      );
  }
  if (terms.signals.length > 0)
    return refuse(
      'signals',
      'such a trust would let every holder of a token of the issuer take addresses out of DNS, because "match" accepts every value: name the accepted ones.',
    );
  const open = terms.onlyNames?.find((pattern) => !isOfHolder(pattern, leaves));
  if (terms.onlyNames !== null && open === undefined) return accept(null);
  const claim = isKubernetes(leaves) ? 'namespace' : (leaves[0]?.path.join('.') ?? 'sub');
  const names = terms.onlyNames === null ? 'every name' : clip(open ?? '');
  return refuse(
    'onlyNames',
    `such a trust would open ${names} to every holder of a token of the issuer, because "match" accepts every value. Use a template such as "*.\${${claim}}" in each pattern, or name the accepted values in "match".`,
  );
}

function hasRights({ records, manageZones, clusters, signals, grants }: TrustTerms): boolean {
  const levels = [records, manageZones, clusters];
  if (signals.length > 0) return true;
  return levels.some((level) => level !== 'none') || grants.some((grant) => grant.records !== 'none');
}

/** Whether the claim keeps some holders out. In a cluster, every owner of a namespace names its service accounts. */
function isRestriction({ path, pattern }: Leaf, leaves: readonly Leaf[]): boolean {
  const name = path.join('.');
  if (isKubernetes(leaves) && name !== NAMESPACE && name !== 'sub' && !name.endsWith('.uid')) return false;
  if (name === 'sub' && pattern.includes('*')) return !isCommonStart(headOf(pattern));
  return pattern.replaceAll('*', '') !== '';
}

const headOf = (pattern: string) => pattern.split('*')[0] ?? '';

/** Whether every subject of a cluster, or of a SPIFFE trust domain, begins like this. */
function isCommonStart(head: string): boolean {
  return SERVICE_ACCOUNT.startsWith(head) || 'spiffe://'.startsWith(head) || /^spiffe:\/\/[^/]*\/?$/.test(head);
}

function isKubernetes(leaves: readonly Leaf[]): boolean {
  return leaves.some(
    ({ path, pattern }) => path[0] === 'kubernetes.io' || (path[0] === 'sub' && headOf(pattern).startsWith('system:')),
  );
}

/** Whether the names of the pattern belong to the holder of the token alone. */
function isOfHolder(pattern: string, leaves: readonly Leaf[]): boolean {
  const claims = listClaims(pattern, leaves).map(({ path }) => path.join('.'));
  return isKubernetes(leaves) ? claims.includes(NAMESPACE) : claims.length > 0;
}

/** A template must not stand for a text that the caller of the shared issuer chooses. */
function judgeChosenClaims(
  { onlyNames }: TrustTerms,
  leaves: readonly Leaf[],
  { name, set }: { name: string; set: readonly string[] },
): Verdict<null> {
  for (const [at, pattern] of (onlyNames ?? []).entries()) {
    if (!hasTemplate(pattern)) continue;
    const chosenLeaf = listClaims(pattern, leaves).find(
      (leaf) => leaf.pattern.includes('*') && !set.includes(leaf.path.join('.')),
    );
    if (chosenLeaf === undefined) continue;
    const claim = chosenLeaf.path.join('.');
    return refuse(
      `onlyNames.${at}`,
      `each job at ${name} chooses the claim ${claim} itself: let "match" demand one value of it, or use ${set.join(' or ') || 'a name without template'}.`,
    );
  }
  return accept(null);
}
