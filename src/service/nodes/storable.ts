// Free texts of reports, as the database can keep them.

/** Postgres stores neither NUL nor half of a surrogate pair: each becomes U+FFFD. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
