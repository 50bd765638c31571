// The version of Knot DNS, from its programs and from a running knotd.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { compareVersions } from '#base/versions.ts';
import type { KnotControl } from './control.ts';

const LIMIT_MS = 10_000;

/**
 * The version in the answer of a program to --version (`knotd (Knot DNS), version 3.2.6` or `knotd, Knot DNS 3.4.6`),
 * or of knotd to the command `status` (`Version: 3.2.6` or `3.4.6`); null if there is none. Pure.
 */
export function parseKnotVersion(text: string): string | null {
  return /(?:^|version:? |Knot DNS )(\d+\.\d+(?:\.\d+)?)/i.exec(text)?.[1] ?? null;
}

/** Whether a version is this one or a later one. @param version null: not known, and taken for an older one */
export function isSince(version: string | null, first: string): boolean {
  return version !== null && compareVersions(version, first) >= 0;
}

/**
 * The version of a program of Knot; null if it does not say.
 * @throws Error of the system if the program cannot be run
 */
export async function programVersion(program: string, signal: AbortSignal): Promise<string | null> {
  const { stdout } = await promisify(execFile)(program, ['--version'], { signal, timeout: LIMIT_MS });
  return parseKnotVersion(stdout);
}

/** The version of a running knotd; null if it does not say. @throws KnotError */
export async function runningVersion(control: KnotControl, signal?: AbortSignal): Promise<string | null> {
  const [item] = await control.run('status', { type: 'version' }, signal);
  return parseKnotVersion(item?.data ?? '');
}
