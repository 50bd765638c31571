// Reads objects of a cluster with the rights of the user. A right that is missing, an object that does not exist and a
// kind that does not exist are facts with a sentence, because each command judges them in its own way.
import type { KubeApi } from '#kube/api/api.ts';
import { isNotFound, KubeError } from '#kube/api/errors.ts';
import type { KubeObject, ObjectName, ResourceType } from '#kube/objects/resource.ts';
import { titleOf } from './objects.ts';

/** Why objects cannot be read. */
export interface Gap {
  readonly gap: 'object' | 'kind' | 'right';
  /** A sentence. */
  readonly problem: string;
}

/** Objects, and why some could not be read. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly gap: Gap | undefined;
}

/** Every call throws KubeError if the cluster does not answer. */
export interface KubeReader {
  /**
   * @param namespace undefined: all
   * @param labelSelector absent: all objects
   */
  list<T extends KubeObject>(
    type: ResourceType,
    namespace: string | undefined,
    signal: AbortSignal,
    labelSelector?: string,
  ): Promise<Listed<T>>;
  get<T extends KubeObject>(type: ResourceType, object: ObjectName, signal: AbortSignal): Promise<T | Gap>;
  /** Sends an object that is a question, such as a SubjectAccessReview, and is not stored. */
  review(type: ResourceType, question: object, signal: AbortSignal): Promise<unknown>;
}

const PAGE = 500;

export function createKubeReader(api: Pick<KubeApi, 'list' | 'get' | 'create'>): KubeReader {
  return {
    list: async <T extends KubeObject>(
      type: ResourceType,
      namespace: string | undefined,
      signal: AbortSignal,
      labelSelector?: string,
    ) => {
      const items: T[] = [];
      try {
        let more: string | undefined;
        do {
          const page = await api.list<T>(type, { namespace, labelSelector, limit: PAGE, continue: more }, signal);
          items.push(...page.items);
          more = page.continue;
        } while (more !== undefined && more !== '');
        return { items, gap: undefined };
      } catch (error) {
        if (isForbidden(error)) return { items, gap: describeMissingRight('list', type, namespace ?? null) };
        if (isNotFound(error)) return { items, gap: describeMissingKind(type) };
        throw error;
      }
    },
    get: async <T extends KubeObject>(type: ResourceType, object: ObjectName, signal: AbortSignal) => {
      try {
        return await api.get<T>(type, object, signal);
      } catch (error) {
        if (isForbidden(error)) return describeMissingRight('get', type, object.namespace);
        if (!isNotFound(error)) throw error;
        // A kind that does not exist answers 404 without a name.
        if ((error as KubeError).details?.name === undefined) return describeMissingKind(type);
        return { gap: 'object', problem: `${titleOf({ kind: type.kind, metadata: object })} does not exist.` };
      }
    },
    review: (type, question, signal) => api.create(type, { metadata: {}, ...question }, signal),
  };
}

export const isGap = (read: object): read is Gap => 'gap' in read;

const isForbidden = (error: unknown) => error instanceof KubeError && error.status === 403;

/** @param namespace null: all; undefined: the object belongs to none */
function describeMissingRight(
  verb: string,
  { plural, group }: ResourceType,
  namespace: string | null | undefined,
): Gap {
  const place = namespace === undefined ? '' : namespace === null ? ' in all namespaces' : ` in namespace ${namespace}`;
  return { gap: 'right', problem: `You have no right to ${verb} ${plural}.${group}${place}.` };
}

function describeMissingKind({ kind }: ResourceType): Gap {
  return {
    gap: 'kind',
    problem: `The cluster has no resource ${kind}: Zonestead is not installed there, or the context is another one.`,
  };
}
