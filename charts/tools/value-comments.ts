// The values of values.yaml, each with its default and with the "# --" lines above it. Pure.
import { isMap, isScalar, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml';

export interface Value {
  /** api.service.port */
  path: string;
  /** The default on one line, for instance 80, [] or { a: b }; undefined if the value only contains other values. */
  default: string | undefined;
  /** Empty if the value has no comment. */
  description: string;
}

/** All values in the order of the file. @throws Error if the file is not a map */
export function readValues(text: string): Value[] {
  const document = parseDocument(text);
  if (!isMap(document.contents)) throw new Error('values.yaml is not a map');
  // The parser attaches a comment above the first key to the map.
  return collectValues(document.contents, '', document.contents.commentBefore ?? '');
}

function collectValues(map: YAMLMap, above: string, first: string): Value[] {
  return map.items.flatMap((pair: Pair, index) => {
    const { key, value } = pair as Pair<{ value: string; commentBefore?: string }, unknown>;
    const path = above === '' ? key.value : `${above}.${key.value}`;
    const description = described((index === 0 ? first : '') || (key.commentBefore ?? ''));
    if (isMap(value) && value.items.length > 0 && value.flow !== true) {
      const own = { path, default: undefined, description };
      return [own, ...collectValues(value as YAMLMap, path, value.commentBefore ?? '')];
    }
    return [{ path, default: written(value), description }];
  });
}

function described(comment: string): string {
  const lines = comment.split('\n').flatMap((line) => /^ ?-- ?(.*)$/.exec(line)?.[1]?.trim() ?? []);
  return lines.join(' ');
}

function written(value: unknown): string {
  const plain = isScalar(value) ? value.value : (value as { toJSON(): unknown } | null)?.toJSON();
  return stringify(plain ?? null, { collectionStyle: 'flow', lineWidth: 0 }).trim();
}
