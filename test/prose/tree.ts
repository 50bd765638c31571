// Finds the files to check, and the violations in each.
import { glob, readFile } from 'node:fs/promises';
import { join, matchesGlob, relative } from 'node:path';
import { findExtractor } from './files.ts';
import { RULES } from './rules.ts';
import { check, type Violation } from './sentences.ts';

/** Violations by path, of the files that have any. */
export type Findings = ReadonlyMap<string, readonly Violation[]>;

const ROOT = new URL('../..', import.meta.url).pathname;
/** The rules, their advice and their tests quote the words that they forbid. */
const QUOTES = ['test/prose/**', 'test/unit/prose/**'];
const SKIPPED = new Set(['node_modules', '.git', '.local', '.ci']);

/** @param paths files and folders, relative to the repository. Absent: all. */
export async function findAll(paths: readonly string[] = ['.']): Promise<Findings> {
  const findings = new Map<string, readonly Violation[]>();
  for (const path of await listFiles(paths)) {
    const extract = findExtractor(path);
    if (extract === undefined || matchesAny(path, QUOTES)) continue;
    const source = await readFile(join(ROOT, path), 'utf8');
    const violations = check(source, extract(source), RULES);
    if (violations.length > 0) findings.set(path, violations);
  }
  return findings;
}

async function listFiles(paths: readonly string[]): Promise<string[]> {
  const files = new Set<string>();
  for (const path of paths) {
    const inside = relative(ROOT, join(ROOT, path)) || '.';
    const options = { cwd: ROOT, exclude: (name: string) => SKIPPED.has(name) };
    for await (const file of glob([inside, `${inside}/**/*`], options)) {
      if (findExtractor(file) !== undefined) files.add(file);
    }
  }
  return [...files].sort();
}

function matchesAny(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matchesGlob(path, pattern));
}

/** One violation a paragraph: its place, the rule and the advice, the sentence. */
export function print(findings: Findings): string {
  const lines: string[] = [];
  for (const [path, violations] of findings) {
    for (const { line, sentence, rule } of violations) {
      lines.push(`${path}:${line}: ${rule.name}: ${rule.advice}\n    ${sentence}`);
    }
  }
  return lines.join('\n');
}
