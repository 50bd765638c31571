// Options with a schema: an error names each wrong option as people type it.
import type { z } from 'zod';

/** @throws Error that names each wrong option as people type it */
export function parseOptions<T>(schema: z.ZodType<T>, given: unknown): T {
  return parseFields(schema, given, flagOf);
}

/**
 * @param nameOf the option for a field
 * @throws Error that names each wrong option
 */
export function parseFields<T>(schema: z.ZodType<T>, given: unknown, nameOf: (field: string) => string): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problemOf = ({ path, message }: { path: PropertyKey[]; message: string }) =>
    path.length === 0 ? message : `${nameOf(String(path[0]))} ${message}`;
  throw new Error([...new Set(parsed.error.issues.map(problemOf))].join('; '));
}

/** The option as people type it. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
