// The part of the server's history that a cache has seen, so that it recognizes an etcd that was restored from a
// backup: resourceVersions then begin again at a lower one, and a watch at a version of the lost history misses the
// differences.
//
//     the server's version is lower than one that was seen      etcd is older
//     the newest object has a lower version than was seen       etcd is older, and its versions have grown since, or
//                                                               `etcdutl snapshot restore --bump-revision` raised them
//     the newest object is gone                                 unclear: it was deleted, or made after the backup
import { compareResourceVersions, type KubeObject, type ObjectMeta } from '../objects/resource.ts';
import type { WatchEvent } from './watch.ts';

export type HistoryJudgement = 'same' | 'unclear' | 'older';

export class SeenHistory {
  #version = '';
  #newest: ObjectMeta | undefined;

  /** The last version that is in the cache; empty before the first list. */
  get version(): string {
    return this.#version;
  }

  /** The object that changed last, as far as the cache knows; undefined: none, or it was deleted. */
  get newest(): ObjectMeta | undefined {
    return this.#newest;
  }

  /** A complete list replaces the history. */
  replace(items: readonly KubeObject[], version: string): void {
    this.#version = version;
    this.#newest = undefined;
    for (const { metadata } of items)
      if ((compareResourceVersions(metadata.resourceVersion, this.#newest?.resourceVersion) ?? 1) > 0)
        this.#newest = pick(metadata);
  }

  /** An event that is in the cache. */
  add(event: WatchEvent<KubeObject>): void {
    if (event.type === 'BOOKMARK') this.#version = event.resourceVersion;
    else {
      const { metadata } = event.object;
      this.#version = metadata.resourceVersion ?? this.#version;
      if (event.type !== 'DELETED') this.#newest = pick(metadata);
      else if (metadata.uid === this.#newest?.uid) this.#newest = undefined;
    }
  }

  /**
   * Compares a list of the newest version with the versions in the cache.
   * @param items the listed objects, at least the newest one of the cache
   */
  judge(items: readonly KubeObject[], version: string): HistoryJudgement {
    if (isLower(version, this.#version)) return 'older';
    const newest = this.#newest;
    if (newest === undefined) return 'same';
    const now = items.find(
      ({ metadata }) => metadata.name === newest.name && metadata.namespace === newest.namespace,
    )?.metadata;
    if (now === undefined || now.uid !== newest.uid) return 'unclear';
    return isLower(now.resourceVersion, newest.resourceVersion) ? 'older' : 'same';
  }
}

/** Without the rest, which would keep a second copy of the object in memory. */
function pick({ name, namespace, uid, resourceVersion }: ObjectMeta): ObjectMeta {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

function isLower(version: string | undefined, seenVersion: string | undefined): boolean {
  return (compareResourceVersions(version, seenVersion) ?? 0) < 0;
}
