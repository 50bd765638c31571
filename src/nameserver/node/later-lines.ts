// Reads the lines of a stream, also those of an api that is newer than this node.
import type { z } from 'zod';
import { parseJson } from '#client/errors.ts';
import { type LaterLine, laterLine } from '#contract/feed-later.ts';
import { FeedFault } from './faults.ts';

/** The schema of a stream: one object for each kind. */
export interface LineSchema<T> extends z.ZodType<T> {
  readonly options: readonly { readonly shape: { readonly kind: { readonly value: string } } }[];
}

/** Creates the function that reads a line. @throws (the function) FeedFault if the line breaks the contract */
export function createLineReader<T>(schema: LineSchema<T>): (text: string) => T | LaterLine {
  const kinds = new Set(schema.options.map(({ shape }) => shape.kind.value));
  return (text) => {
    const value = parseJson(text);
    const later = laterLine.safeParse(value);
    if (later.success && !kinds.has(later.data.kind)) return { kind: 'later', line: later.data };
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const where = result.error.issues[0]?.path.join('.') || 'the whole line';
    throw new FeedFault(`a line of the api's answer breaks the contract at ${where}`);
  };
}

/**
 * The lines of one zone without those that can be skipped.
 * @throws FeedFault for another line of an unknown kind: without it the zone may be wrong
 */
export async function* skipLater<T extends { readonly kind: string }>(
  lines: AsyncGenerator<T | LaterLine>,
): AsyncGenerator<T> {
  for await (const line of lines) {
    if (!isLater(line)) yield line;
    else if (!line.line.skippable) {
      throw new FeedFault(`the api is newer than this node, and sent "${line.line.kind}", which it does not know`);
    }
  }
}

export function isLater<T extends { readonly kind: string }>(line: T | LaterLine): line is LaterLine {
  return line.kind === 'later';
}
