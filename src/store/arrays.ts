// Arrays of texts and numbers, as Postgres writes them (PostgreSQL manual, "Array Input and Output Syntax"); one
// dimension.
//
// The driver can learn all array types by itself, with a query on each new connection. No code handles the error of
// that query: if the connection is lost in this moment, the process ends. It also costs a round trip.

/** @param values a text is sent as it is: drizzle writes arrays itself */
export function writeArray(values: unknown): string {
  if (!Array.isArray(values)) return String(values);
  return `{${values.map((value) => (value === null ? 'NULL' : `"${String(value).replace(/["\\]/g, '\\$&')}"`)).join(',')}}`;
}

const ELEMENT = /"((?:[^"\\]|\\.)*)"|([^,{}"]+)/gs;

/** @returns the elements as texts, null for NULL */
export function readArray(text: string): (string | null)[] {
  return [...text.matchAll(ELEMENT)].map(([, quotedText, plain = '']) => {
    if (quotedText !== undefined) return quotedText.replace(/\\(.)/gs, '$1');
    return plain === 'NULL' ? null : plain;
  });
}
