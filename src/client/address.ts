// The address of a call of an operation.
import type { Operation } from '#contract/operation.ts';

export type PathParams = Readonly<Record<string, string>>;
/** Undefined values are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The path of an operation with the parameters in it, encoded. */
export function fillPath({ path }: Operation, params: PathParams = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

/** The base address may have a path of its own (an ingress prefix). */
export function buildUrl(baseUrl: URL, path: string, query: Query = {}): URL {
  const url = new URL(`${baseUrl.pathname.replace(/\/+$/, '')}${path}`, baseUrl.origin);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.append(name, String(value));
  }
  return url;
}
