// Lists all objects for a cache: every page of one consistent snapshot.
import type { KubeApi, KubePage, ListOptions } from '../api/api.ts';
import { isExpiredVersion, isTooLargeResourceVersion, KubeError } from '../api/errors.ts';
import type { KubeObject, ResourceType } from '../objects/resource.ts';

/** Selects objects of a type. */
export interface Scope {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

interface Snapshot<T> {
  readonly items: T[];
  readonly resourceVersion: string;
}

/**
 * Lists at a version not older than `atLeast`, or at the newest version when it is empty. If the server does not keep
 * the version, has not yet seen it, or cannot read it (its store was restored from a backup), the list is tried once
 * more with the newest version.
 * @param trim applied to each object as it arrives: only the trimmed page is held while the next one is read
 * @throws {KubeError}
 */
export async function fill<T extends KubeObject>(
  api: KubeApi,
  type: ResourceType,
  scope: Scope,
  pageSize: number,
  atLeast: string,
  trim: (object: T) => T,
  signal: AbortSignal,
): Promise<Snapshot<T>> {
  try {
    const match = atLeast === '' ? {} : { resourceVersion: atLeast, resourceVersionMatch: 'NotOlderThan' as const };
    return await listPages(api, type, { ...scope, ...match, limit: pageSize }, trim, signal);
  } catch (error) {
    if (atLeast === '' || !isUnusableVersion(error)) throw error;
    return await listPages(api, type, { ...scope, limit: pageSize }, trim, signal);
  }
}

function isUnusableVersion(error: unknown): boolean {
  return (
    isExpiredVersion(error) || isTooLargeResourceVersion(error) || (error instanceof KubeError && error.status === 400)
  );
}

async function listPages<T extends KubeObject>(
  api: KubeApi,
  type: ResourceType,
  first: ListOptions,
  trim: (object: T) => T,
  signal: AbortSignal,
): Promise<Snapshot<T>> {
  const items: T[] = [];
  let page: KubePage<T> = await api.list<T>(type, first, signal);
  items.push(...page.items.map(trim));
  // resourceVersion and its match belong to the first page only: the token carries the snapshot.
  const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = first;
  while (page.continue !== undefined) {
    try {
      page = await api.list<T>(type, { ...rest, continue: page.continue }, signal);
    } catch (error) {
      if (!isExpiredVersion(error)) throw error;
      // The snapshot was compacted between two pages. Another paged list could lose the same race, so the objects are
      // now read in one answer.
      const whole = await api.list<T>(type, { ...rest, limit: undefined }, signal);
      return { items: whole.items.map(trim), resourceVersion: whole.resourceVersion };
    }
    items.push(...page.items.map(trim));
  }
  return { items, resourceVersion: page.resourceVersion };
}
