// Decodes bodies as UTF-8. RFC 8259 section 8.1 requires it for JSON, and zone files are read in the same way. Invalid
// bytes are refused, because replaced characters would end up in a zone.
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Drops a byte order mark. @returns null if the bytes are not UTF-8 */
export function utf8(body: Uint8Array): string | null {
  try {
    return decoder.decode(body);
  } catch {
    return null;
  }
}
