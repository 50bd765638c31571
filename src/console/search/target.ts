// The place of a whole name in its zone. Pure.

/** `www` for `www.a.example` in `a.example`. Null: the name is the zone itself, or not in the zone. */
export function nameInZone(name: string, zoneName: string): string | null {
  const plain = name.toLowerCase().replace(/\.$/, '');
  return plain.endsWith(`.${zoneName}`) ? plain.slice(0, -zoneName.length - 1) : null;
}
