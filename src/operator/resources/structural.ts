// JSON schema as zod writes it → structural schema as a CustomResourceDefinition may hold it (upstream: apiextensions
// "Specifying a structural schema"). What cannot be carried over is an error at generation, never silently dropped. It
// must not know any kind.

export interface Structural {
  type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  description?: string;
  properties?: Record<string, Structural>;
  items?: Structural;
  additionalProperties?: Structural;
  [keyword: string]: unknown;
}

/** Carried over as they are. */
const PLAIN = new Set([
  'type',
  'description',
  'default',
  'enum',
  'format',
  'nullable',
  'required',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
]);

/** Say nothing that a structural schema could hold; their absence changes nothing. */
const DROPPED = new Set(['$schema', 'propertyNames', 'examples', 'title', 'id']);

const TYPES = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean']);
/** The API server's regular expressions are RE2: these would be refused or mean something else. */
const BEYOND_RE2 = /\(\?[=!<]|\\[1-9]/;

/**
 * The structural form of a node and all below it. `path` names it in errors.
 * @throws {TypeError} naming the node, for what a structural schema cannot hold.
 */
export function toStructural(node: unknown, path = 'root'): Structural {
  if (!isObject(node)) throw new TypeError(`${path} is no schema`);
  if (typeof node.type !== 'string' || !TYPES.has(node.type)) throw new TypeError(`${path} has no single type`);
  const result: Structural = { type: node.type as Structural['type'] };
  for (const [keyword, value] of Object.entries(node)) {
    const where = `${path}.${keyword}`;
    if (keyword === 'properties') result.properties = mapValues(value, where);
    else if (keyword === 'items') result.items = toStructural(value, where);
    else if (keyword === 'additionalProperties') copyAdditional(result, node, where);
    else if (keyword.startsWith('x-kubernetes-') || isPlain(keyword, value)) result[keyword] = value;
    else if (!DROPPED.has(keyword) && !isImplied(keyword, value))
      throw new TypeError(`${where} cannot be carried over`);
  }
  if (typeof result.pattern === 'string' && BEYOND_RE2.test(result.pattern)) {
    throw new TypeError(`${path}.pattern is beyond RE2: ${result.pattern}`);
  }
  if (result.required !== undefined && (result.required as unknown[]).length === 0) delete result.required;
  return result;
}

function isPlain(keyword: string, value: unknown): boolean {
  return PLAIN.has(keyword) && !isImplied(keyword, value);
}

/** `z.int()` adds the bounds of safe integers; int64 holds them anyway. */
function isImplied(keyword: string, value: unknown): boolean {
  return (
    (keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER)
  );
}

/** `false` is forbidden beside `properties`: the API server prunes unknown fields, and kubectl refuses them. */
function copyAdditional(result: Structural, node: Record<string, unknown>, where: string): void {
  if (node.additionalProperties === false) return;
  if (node.properties !== undefined) throw new TypeError(`${where} cannot stand beside properties`);
  result.additionalProperties = toStructural(node.additionalProperties, where);
}

function mapValues(value: unknown, where: string): Record<string, Structural> {
  if (!isObject(value)) throw new TypeError(`${where} is no map of schemas`);
  return Object.fromEntries(
    Object.entries(value).map(([name, node]) => [name, toStructural(node, `${where}.${name}`)]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
