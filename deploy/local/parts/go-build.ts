// Programs from Go modules, built with visible progress: four silent minutes look like a hang.
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Progress } from './cache.ts';
import { runCommand } from './commands.ts';
import { createEstimate, type GoPackage } from './go-estimate.ts';
import { findGo, goEnvironment } from './go-flags.ts';

const NEWS_MS = 3_000;
const STEP_LIMIT_MS = 60 * 60_000;

export interface GoTarget {
  /** Relative to the module, or any package that it requires. */
  package: string;
  /** Where the program goes. */
  file: string;
  flags: readonly string[];
}

export interface GoBuild {
  /** Folder of the module, with go.mod and go.sum. */
  source: string;
  /** In the words of messages: "the Kubernetes control plane". */
  what: string;
  /** The expected time of a build from nothing, for the first message. */
  costs: string;
  /** How to do without Go. */
  otherwise: string;
  targets: readonly GoTarget[];
  progress: Progress;
  signal: AbortSignal;
}

/** The files that a build is made of, for the key of its cache. */
export function sourceInputs(source: string, files: readonly string[]): Record<string, Buffer> {
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(source, file))]));
}

/** Downloads, then builds each target. @throws when Go is missing, or with the compiler's last lines */
export async function buildGo({ source, what, costs, otherwise, targets, progress, signal }: GoBuild): Promise<void> {
  const go = findGo(what, otherwise);
  progress(`building ${what} from Go modules: once, ${costs}`);
  const common = { go, source, progress, signal };
  const count = downloadCounter(countRequired(readFileSync(join(source, 'go.mod'), 'utf8')));
  await step({ ...common, args: ['mod', 'download', '-x'], what: 'downloading Go modules', count });
  for (const target of targets) {
    const listed = ['list', '-deps', '-f', PACKAGE_FORMAT, ...target.flags, target.package];
    const packages = await step({ ...common, args: listed, what: 'listing packages', count: () => undefined });
    const compile = compileCounter(await readPackages(packages));
    const args = ['build', '-v', ...target.flags, '-o', target.file, target.package];
    await step({ ...common, args, what: 'compiling', count: compile });
  }
}

/** One line for each package, with tabs. */
const PACKAGE_FORMAT = '{{.ImportPath}}\t{{len .Deps}}\t{{.Dir}}\t{{join .GoFiles "/"}}\t{{join .Imports ","}}';

async function readPackages(listed: string): Promise<GoPackage[]> {
  return Promise.all(
    listed
      .trim()
      .split('\n')
      .map(async (line) => {
        const [name = '', dependencies, folder = '', files = '', imports = ''] = line.split('\t');
        const sizes = files.split('/').map(async (file) => (await stat(join(folder, file))).size);
        const bytes = (await Promise.all(sizes)).reduce((all, size) => all + size, 0);
        return { name, bytes, dependencies: Number(dependencies), imports: imports.split(',') };
      }),
  );
}

/**
 * Takes a line of the program's output; returns the progress to show after so many seconds, or undefined if there is
 * nothing new.
 */
type Counter = (line: string) => ((seconds: number) => string) | undefined;

interface Step {
  go: string;
  source: string;
  args: readonly string[];
  what: string;
  count: Counter;
  progress: Progress;
  signal: AbortSignal;
}

async function step({ go, source, args, what, count, progress, signal }: Step): Promise<string> {
  const started = performance.now();
  let shown: ((seconds: number) => string) | undefined;
  const news = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1000);
    progress(`  ${what}: ${shown === undefined ? '' : `${shown(seconds)}, `}${seconds} s`);
  }, NEWS_MS);
  try {
    const { code, out, tail } = await runCommand({
      command: go,
      args,
      cwd: source,
      env: goEnvironment(),
      onLine: (line) => {
        shown = count(line) ?? shown;
      },
      // The parts that `npm run up` starts meanwhile must not wait for the compiler.
      background: true,
      timeoutMs: STEP_LIMIT_MS,
      signal,
    });
    if (code !== 0) throw new Error(`go ${args[0]} failed (code ${code}):\n${tail}`);
    return out;
  } finally {
    clearInterval(news);
  }
}

/** Modules that a go.mod text requires. */
export function countRequired(goMod: string): number {
  const blocks = [...goMod.matchAll(/^require \(\n([\s\S]*?)^\)/gm)].flatMap(([, lines]) =>
    (lines ?? '').trim().split('\n'),
  );
  return blocks.length + [...goMod.matchAll(/^require [^(]/gm)].length;
}

/** Counts the archives that `go mod download -x` reports as fetched: `# get https://…/@v/v1.2.3.zip: 200 OK (0.1s)`. */
export function downloadCounter(total: number): Counter {
  let fetched = 0;
  return (line) => {
    const [, module, version] = /^# get \S+?\/([^/]+\/[^/]+)\/@v\/(\S+)\.zip: 200/.exec(line) ?? [];
    if (module === undefined) return undefined;
    fetched++;
    const text = `${fetched} of at most ${total} (${module.replaceAll('%21', '')} ${version})`;
    return () => text;
  };
}

/**
 * Counts the packages that `go build -v` names as it starts each of them; packages in Go's own cache are never named.
 */
export function compileCounter(packages: readonly GoPackage[]): Counter {
  const estimate = createEstimate(packages);
  let compiled = 0;
  return (line) => {
    if (!estimate.compiles(line)) return undefined;
    compiled++;
    const text = `${compiled} of at most ${packages.length} packages (${line})`;
    return (seconds) => [text, estimate.left(seconds)].filter((part) => part !== undefined).join(', ');
  };
}
