// Whether the CRD of a kind is gone or being deleted. The API server then deletes all objects of the kind: no user
// decided about one of them, so nothing of them may leave DNS. It marks the CRD first, so a look that begins after an
// object was deleted sees the mark.

import type { KubeApi } from '#kube/api/api.ts';
import { isNotFound, KubeError } from '#kube/api/errors.ts';
import { CRD } from '#kube/objects/crds.ts';
import { isDeleting } from '#kube/objects/finalizer.ts';
import type { ResourceType } from '#kube/objects/resource.ts';
import type { Logger } from '#telemetry/log.ts';

/**
 * @returns whether the CRD is gone or being deleted
 * @throws KubeError, and the signal's reason
 */
export type KindIsDeleted = (type: ResourceType, signal: AbortSignal) => Promise<boolean>;

/**
 * Calls of one kind that come during a look share the next one, so that thousands of deletions cost few looks. Without
 * the right to look, no kind counts as deleted, because objects would otherwise never be released.
 */
export function createKindCheck(api: Pick<KubeApi, 'get'>, log: Logger): KindIsDeleted {
  const last = new Map<string, Promise<boolean>>();
  const next = new Map<string, Promise<boolean>>();
  let isWarned = false;

  async function look({ group, plural }: ResourceType, signal: AbortSignal): Promise<boolean> {
    const name = `${plural}.${group}`;
    try {
      return isDeleting(await api.get(CRD, { name }, signal));
    } catch (error) {
      if (isNotFound(error)) return true;
      if (!(error instanceof KubeError) || error.status !== 403) throw error;
      if (!isWarned)
        log.warn({ crd: name }, 'the operator has no right to get the CRD, so it does not notice its deletion');
      isWarned = true;
      return false;
    }
  }

  const begin = (type: ResourceType, signal: AbortSignal): Promise<boolean> => {
    const looking = look(type, signal);
    last.set(type.plural, looking);
    return looking;
  };
  return (type, signal) => {
    const before = last.get(type.plural);
    if (!before) return begin(type, signal);
    let later = next.get(type.plural);
    if (!later) {
      later = before
        .catch(() => undefined)
        .then(() => {
          next.delete(type.plural);
          return begin(type, signal);
        });
      next.set(type.plural, later);
    }
    return later;
  };
}
