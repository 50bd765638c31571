/** The delegation of a zone, as a resolver sees it at the parent, and the values by which it is compared. Pure. */
import { Buffer } from 'node:buffer';
import { parseRdata } from '../types/index.ts';

/**
 * `secure`: the parent has one of our DS records. `insecure`: the name exists without any of ours. `absent`: the name
 * does not exist. `unknown`: no answer.
 */
export type DelegationSeen = 'secure' | 'insecure' | 'absent' | 'unknown';

/** RDATA in canonical wire form, in hex. @param contents in presentation form; invalid ones are omitted */
export function rdataHex(type: 'NS' | 'DS', contents: readonly string[]): string[] {
  return contents.flatMap((content) => {
    const parsed = parseRdata(type, content, null);
    return parsed.ok ? [Buffer.from(parsed.value.wire).toString('hex')] : [];
  });
}
