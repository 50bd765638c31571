// The metadata and the address that every Kubernetes object has.

/** The name of a resource type and its path in the API. */
export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly unknown[];
}

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Identifies an object of a type; the namespace is omitted for cluster-scoped types. */
export interface ObjectName {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** `group/version`, or `version` for the core group. */
export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** The key of queues and caches: `namespace/name`, or `name` for cluster-scoped objects. */
export function keyOf(object: { readonly metadata: ObjectName }): string {
  const { namespace, name } = object.metadata;
  return namespace ? `${namespace}/${name}` : name;
}

/**
 * Compares ages: negative when `a` is the older object. Objects of the same second are ordered by uid, because every
 * observer sees the same uids.
 */
export function byAge(a: Pick<KubeObject, 'metadata'>, b: Pick<KubeObject, 'metadata'>): number {
  const rank = ({ metadata }: Pick<KubeObject, 'metadata'>) => [metadata.creationTimestamp ?? '', metadata.uid ?? ''];
  const [left, right] = [rank(a).join(' '), rank(b).join(' ')];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** The reverse of {@link keyOf}: names contain no slash. */
export function splitKey(key: string): ObjectName {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

interface PathOptions {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/**
 * The path of a collection (across namespaces when none is given) or of one object.
 * @throws {TypeError} when an object of a namespaced type is named without its namespace.
 */
export function resourcePath(type: ResourceType, options: PathOptions = {}): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const { namespace, name, subresource } = options;
  if (type.namespaced && name !== undefined && !namespace) {
    throw new TypeError(`${type.kind} ${name} needs a namespace`);
  }
  const parts = [root];
  if (type.namespaced && namespace) parts.push('namespaces', encodeURIComponent(namespace));
  parts.push(type.plural);
  if (name !== undefined) parts.push(encodeURIComponent(name));
  if (subresource !== undefined) parts.push(subresource);
  return parts.join('/');
}

/**
 * Compares two resourceVersions of one resource type: negative, 0 or positive, or undefined when they cannot be
 * compared. By contract they are opaque up to Kubernetes 1.34 and comparable decimal integers since 1.35 (KEP-5504), as
 * they have always been with etcd. They exceed the integers of a double, so they are not converted with Number().
 */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a === b) return 0;
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

const DECIMAL = /^[1-9][0-9]*$/;
