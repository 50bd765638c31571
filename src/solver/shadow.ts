// What a challenge takes away from a wildcard: `_acme-challenge.a` makes `a` exist, and a wildcard answers only for names
// that do not (RFC 4592 section 2.2.2), so a site served by `*` goes down (cert-manager/cert-manager#806). Pure.

/**
 * The wildcard that stops answering for names above the challenge, or undefined.
 * @param relative of the challenge
 * @param owned relative names that have records in the zone, wildcards among them
 */
export function shadowedWildcard(
  relative: string,
  owned: Iterable<string>,
): { readonly wildcard: string; readonly name: string } | undefined {
  const ancestors = ancestorsOf(relative);
  if (ancestors.length === 0) return undefined;
  const existing = new Set<string>();
  for (const name of owned) for (const each of [name, ...ancestorsOf(name)]) existing.add(each);
  // The closest encloser of the names that would begin to exist; its wildcard is the source of synthesis.
  const made: string[] = [];
  for (const ancestor of ancestors) {
    if (existing.has(ancestor)) return wildcardOf(ancestor, made, existing);
    made.push(ancestor);
  }
  return wildcardOf('@', made, existing);
}

function wildcardOf(encloser: string, made: readonly string[], existing: ReadonlySet<string>) {
  const wildcard = encloser === '@' ? '*' : `*.${encloser}`;
  const [name] = made;
  return name !== undefined && existing.has(wildcard) ? { wildcard, name } : undefined;
}

/** The names between a relative name and the apex, nearest first, both left out. */
function ancestorsOf(relative: string): string[] {
  if (relative === '@') return [];
  const labels = relative.split('.');
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'));
}
