// YAML of others: documents in which no key is twice, and values without the growth that aliases allow. Both in linear
// time.
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
} from 'yaml';
import { clip } from '#dns/verdict.ts';

/** The values of one file after its aliases: more than the largest zone has. */
const MAX_VALUES = 5_000_000;
/** A value of a record, and an object of Kubernetes, is less deep. */
const MAX_DEPTH = 50;

export interface YamlFile {
  documents: Document[];
  /** The line of a node, from 1. */
  lineOf(node: unknown): number;
  /** The value of a node, as JSON has it. @throws Error if the aliases of the file make too many values */
  plainOf(node: unknown): unknown;
}

/** @throws Error that says what is wrong, without the name of the file */
export function readYaml(text: string, version: '1.1' | '1.2'): YamlFile {
  const lineCounter = new LineCounter();
  // The library compares each key with all others, which takes hours for a large file.
  const parsed = parseAllDocuments(text, { version, lineCounter, uniqueKeys: false, logLevel: 'silent' });
  const documents: Document[] = Array.isArray(parsed) ? [...parsed] : [];
  const findLine = (node: unknown) => (isNode(node) && node.range ? lineCounter.linePos(node.range[0]).line : 1);
  const targets = new Map<Alias, Node | undefined>();
  for (const document of documents) {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`the file is not YAML: ${error.message.split('\n')[0]}`);
    findAliases(document, targets);
    refuseDuplicates(document, findLine);
  }
  let count = 0;
  const toPlain = (node: unknown, depth = 0): unknown => {
    count += 1;
    if (count > MAX_VALUES) throw new Error('the aliases of the file make too many values; write the values out');
    if (depth > MAX_DEPTH) throw new Error(`line ${findLine(node)}: the values are nested too deeply`);
    if (isAlias(node)) return toPlain(targets.get(node), depth + 1);
    if (isScalar(node)) return node.value;
    if (isSeq(node)) return node.items.map((item) => toPlain(item, depth + 1));
    if (!isMap(node)) return null;
    return Object.fromEntries(node.items.map(({ key, value }) => [toMappingKey(key), toPlain(value, depth + 1)]));
  };
  return { documents, lineOf: findLine, plainOf: (node) => toPlain(node) };
}

/** The text of a key. */
export function toMappingKey(key: unknown): string {
  return isScalar(key) ? String(key.value ?? '') : '?';
}

/** An alias stands for the last node before it that has its anchor. */
function findAliases(document: Document, targets: Map<Alias, Node | undefined>): void {
  const anchors = new Map<string, Node>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) targets.set(node, anchors.get(node.source));
      else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
}

function refuseDuplicates(document: Document, lineOf: (node: unknown) => number): void {
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<string>();
      for (const { key } of items) {
        const text = toMappingKey(key);
        if (keys.has(text)) throw new Error(`line ${lineOf(key)}: the key ${clip(text)} is there twice`);
        keys.add(text);
      }
    },
  });
}
