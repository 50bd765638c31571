// Converts the JSON schema that zod writes into the structural schema that a CustomResourceDefinition requires
// (apiextensions, "Specifying a structural schema"). A keyword that cannot be converted is an error at generation and
// is never silently dropped.

interface Structural {
  /** Absent: an integer or a string. */
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  description?: string;
  properties?: Record<string, Structural>;
  items?: Structural;
  additionalProperties?: Structural;
  [keyword: string]: unknown;
}

const INT_OR_STRING = 'x-kubernetes-int-or-string';

/** Keywords that are copied unchanged. */
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

/** Keywords that a structural schema does not have, and whose absence changes nothing. */
const DROPPED = new Set(['$schema', 'propertyNames', 'examples', 'title', 'id']);

const TYPES = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean']);
/** The API server's regular expressions are RE2, which refuses these constructs or gives them another meaning. */
const BEYOND_RE2 = /\(\?[=!<]|\\[1-9]/;

/**
 * Returns the structural form of a node and of all nodes below it. `path` names the node in errors.
 * @throws {TypeError} that names the node, for a keyword that a structural schema cannot hold
 */
export function toStructural(node: unknown, path = 'root'): Structural {
  if (!isObject(node)) throw new TypeError(`${path} is not a schema`);
  if (node[INT_OR_STRING] === true) return toIntOrString(node, path);
  if (typeof node.type !== 'string' || !TYPES.has(node.type)) throw new TypeError(`${path} has no single type`);
  const result: Structural = { type: node.type as NonNullable<Structural['type']> };
  for (const [keyword, value] of Object.entries(node)) {
    const where = `${path}.${keyword}`;
    if (keyword === 'properties') result.properties = mapValues(value, where);
    else if (keyword === 'items') result.items = toStructural(value, where);
    else if (keyword === 'additionalProperties') copyAdditional(result, node, where);
    else if (keyword.startsWith('x-kubernetes-') || isPlain(keyword, value)) result[keyword] = value;
    else if (!DROPPED.has(keyword) && !isImplied(keyword, value))
      throw new TypeError(`${where} cannot be converted to a structural schema`);
  }
  if (typeof result.pattern === 'string' && BEYOND_RE2.test(result.pattern)) {
    throw new TypeError(`${path}.pattern is not valid in RE2: ${result.pattern}`);
  }
  if (result.required !== undefined && (result.required as unknown[]).length === 0) delete result.required;
  return result;
}

/**
 * An integer or a string has no type, and the bounds of both: the API server applies each to the values that it is for.
 */
function toIntOrString({ anyOf, description }: Record<string, unknown>, path: string): Structural {
  const parts = Array.isArray(anyOf) ? anyOf.map((part, index) => toStructural(part, `${path}.anyOf.${index}`)) : [];
  if (parts.map(({ type }) => type).join() !== 'integer,string')
    throw new TypeError(`${path} is not a union of an integer and a string`);
  const { type: _either, ...bounds } = Object.assign({}, ...parts) as Structural;
  return { ...bounds, ...(typeof description === 'string' ? { description } : {}), [INT_OR_STRING]: true };
}

function isPlain(keyword: string, value: unknown): boolean {
  return PLAIN.has(keyword) && !isImplied(keyword, value);
}

/** `z.int()` adds the bounds of safe integers, which int64 already includes. */
function isImplied(keyword: string, value: unknown): boolean {
  return (
    (keyword === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (keyword === 'maximum' && value === Number.MAX_SAFE_INTEGER)
  );
}

/** `false` is not allowed next to `properties`: the API server prunes unknown fields, and kubectl refuses them. */
function copyAdditional(result: Structural, node: Record<string, unknown>, where: string): void {
  if (node.additionalProperties === false) return;
  if (node.properties !== undefined) throw new TypeError(`${where} is not allowed next to properties`);
  result.additionalProperties = toStructural(node.additionalProperties, where);
}

function mapValues(value: unknown, where: string): Record<string, Structural> {
  if (!isObject(value)) throw new TypeError(`${where} is not a map of schemas`);
  return Object.fromEntries(
    Object.entries(value).map(([name, node]) => [name, toStructural(node, `${where}.${name}`)]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
