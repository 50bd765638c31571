/**
 * The name in lower case, as names are compared (RFC 4343), and without its final dot. It judges nothing: the text may
 * not be a name.
 */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
