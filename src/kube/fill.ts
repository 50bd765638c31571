// The list that fills a cache: every page of one consistent snapshot. It must not know what happens to the objects, nor
// when to list; reflector.ts does.
import type { KubeApi, ListOptions, Page } from './api.ts';
import { isExpired, isTooLargeResourceVersion, KubeError } from './errors.ts';
import type { KubeObject, ResourceType } from './resource.ts';

/** Which objects of a type. */
export interface Scope {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface Snapshot<T> {
  readonly items: T[];
  readonly resourceVersion: string;
}

/**
 * Lists at a version not older than `atLeast`, or the newest there is when it is empty. A version that the server does not keep or
 * has not yet seen, or cannot read (a store brought back from a backup), is tried once more with the newest.
 * @throws {KubeError}
 */
export async function fill<T extends KubeObject>(
  api: KubeApi,
  type: ResourceType,
  scope: Scope,
  pageSize: number,
  atLeast: string,
  signal: AbortSignal,
): Promise<Snapshot<T>> {
  try {
    const match = atLeast === '' ? {} : { resourceVersion: atLeast, resourceVersionMatch: 'NotOlderThan' as const };
    return await listPages(api, type, { ...scope, ...match, limit: pageSize }, signal);
  } catch (error) {
    if (atLeast === '' || !isUnusableVersion(error)) throw error;
    return await listPages(api, type, { ...scope, limit: pageSize }, signal);
  }
}

function isUnusableVersion(error: unknown): boolean {
  return isExpired(error) || isTooLargeResourceVersion(error) || (error instanceof KubeError && error.status === 400);
}

async function listPages<T extends KubeObject>(
  api: KubeApi,
  type: ResourceType,
  first: ListOptions,
  signal: AbortSignal,
): Promise<Snapshot<T>> {
  const items: T[] = [];
  let page: Page<T> = await api.list<T>(type, first, signal);
  items.push(...page.items);
  // resourceVersion and its match belong to the first page only: the token carries the snapshot.
  const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = first;
  while (page.continue !== undefined) {
    try {
      page = await api.list<T>(type, { ...rest, continue: page.continue }, signal);
    } catch (error) {
      if (!isExpired(error)) throw error;
      // The snapshot was compacted while we paged; paging again could lose the same race, so it is one answer now.
      const whole = await api.list<T>(type, { ...rest, limit: undefined }, signal);
      return { items: whole.items, resourceVersion: whole.resourceVersion };
    }
    items.push(...page.items);
  }
  return { items, resourceVersion: page.resourceVersion };
}
