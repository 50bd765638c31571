// The chart as Helm renders it, for tests: objects by kind and name, or Helm's words when it refuses.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { KubeObject } from '#kube/objects/resource.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { ensureHelm } from '../../../deploy/local/parts/helm-build.ts';

export const CHART = new URL('../../../charts/zonestead', import.meta.url).pathname;

export type Values = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: what YAML holds has no type, and tests look into all kinds of objects.
export type Rendered = KubeObject & Record<string, any>;

export interface RenderOptions {
  release?: string;
  namespace?: string;
  /** (Default: Helm's own.) */
  kubeVersion?: string;
  /** Another chart's folder. */
  chart?: string;
}

const { signal } = new AbortController();

/** Any helm command. */
export async function helm(...args: string[]): Promise<{ ok: boolean; out: string; words: string }> {
  const command = await ensureHelm({ progress: (line) => process.stdout.write(`${line}\n`), signal });
  const { code, out, tail } = await runCommand({ command, args, timeoutMs: 200_000, signal });
  return { ok: code === 0, out, words: tail };
}

/** `helm template` as text, or its words when it refuses. */
export async function template(values: Values, options: RenderOptions = {}): Promise<{ ok: boolean; text: string }> {
  const { release = 'zonestead', namespace = 'zonestead', kubeVersion, chart = CHART } = options;
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-chart-'));
  try {
    const file = join(folder, 'values.yaml');
    // JSON is YAML in which nothing becomes a truth value.
    await writeFile(file, JSON.stringify(values));
    const version = kubeVersion === undefined ? [] : ['--kube-version', kubeVersion];
    const args = ['template', release, chart, '--namespace', namespace, '--values', file, ...version];
    const { ok, out, words } = await helm(...args);
    return { ok, text: ok ? out : words };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The objects of a rendered chart. @throws with Helm's words */
export async function render(values: Values, options: RenderOptions = {}): Promise<Rendered[]> {
  const { ok, text } = await template(values, options);
  if (!ok) throw new Error(text);
  return parseObjects(text);
}

/**
 * The documents of all renderings, which are mostly the same: to parse the YAML of one rendering takes a tenth of a
 * second.
 */
const known = new Map<string, Rendered | null>();

/** As Kubernetes reads YAML: 0440 is octal. */
export function parseObjects(text: string): Rendered[] {
  return text.split(/^---$/m).flatMap((document) => {
    let object = known.get(document);
    if (object === undefined) {
      object = parse(document, { version: '1.1' }) as Rendered | null;
      known.set(document, object);
    }
    return object === null ? [] : structuredClone(object);
  });
}

/** @throws when there is none, or more than one */
export function one(objects: readonly Rendered[], kind: string, name: string): Rendered {
  const found = objects.filter((object) => object.kind === kind && object.metadata.name === name);
  if (found.length === 1 && found[0]) return found[0];
  const names = objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
  throw new Error(`${found.length} of ${kind} ${name}; there are ${names.join(', ')}`);
}
