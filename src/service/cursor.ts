// The cursor of a list as text: the parts of the key of the last row of a page. Pure.
import { isStorable } from '#store/database.ts';
import { refusal } from './refusal.ts';

export function encodeCursor(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * @param count the number of parts
 * @throws Refusal bad_request: this service did not create the cursor
 */
export function decodeCursor(text: string, count: number): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const isList = Array.isArray(parts) && parts.length >= count;
    if (isList && parts.every((part) => typeof part === 'string' && isStorable(part))) return parts as string[];
  } catch {
    // The text is not JSON.
  }
  throw refusal('bad-cursor');
}
