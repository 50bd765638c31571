// Bodies as text. Bytes that are no UTF-8 must not become other characters on their way into a zone: RFC 8259 section 8.1
// wants UTF-8 of JSON, and zone files are read so too.
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Without a byte order mark; null when the bytes are no UTF-8. */
export function utf8(body: Uint8Array): string | null {
  try {
    return decoder.decode(body);
  } catch {
    return null;
  }
}
