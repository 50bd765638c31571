// Finds the wildcard that a challenge would stop: `_acme-challenge.a` makes `a` exist, and a wildcard answers only for
// names that do not (RFC 4592 section 2.2.2), so a site served by `*` goes down (cert-manager/cert-manager#806). Pure.

/**
 * The wildcard that stops answering for names above the challenge, or undefined.
 * @param relative name of the challenge, relative to the zone
 * @param ownedNames relative names that have records in the zone, wildcards among them
 */
export function shadowedWildcard(
  relative: string,
  ownedNames: Iterable<string>,
): { readonly wildcard: string; readonly name: string } | undefined {
  const ancestors = listAncestors(relative);
  if (ancestors.length === 0) return undefined;
  const existingNames = new Set<string>();
  for (const name of ownedNames) for (const each of [name, ...listAncestors(name)]) existingNames.add(each);
  // The wildcard below the closest encloser of the new names is their source of synthesis.
  const createdNames: string[] = [];
  for (const ancestor of ancestors) {
    if (existingNames.has(ancestor)) return findWildcard(ancestor, createdNames, existingNames);
    createdNames.push(ancestor);
  }
  return findWildcard('@', createdNames, existingNames);
}

function findWildcard(encloser: string, createdNames: readonly string[], existingNames: ReadonlySet<string>) {
  const wildcard = encloser === '@' ? '*' : `*.${encloser}`;
  const [name] = createdNames;
  return name !== undefined && existingNames.has(wildcard) ? { wildcard, name } : undefined;
}

/** The names between a relative name and the apex, nearest first, without the two. */
function listAncestors(relative: string): string[] {
  if (relative === '@') return [];
  const labels = relative.split('.');
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'));
}
