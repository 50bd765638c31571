// The shared libraries that programs link, found by the dynamic loader itself, and their paths in an image.
import { runCommand } from '../local/parts/commands.ts';
import type { Content, Rootfs } from './rootfs.ts';

const LDD_LIMIT_MS = 60_000;

/**
 * The libraries of all given programs and libraries, without those of `inside` (an image that carries a whole folder).
 * @throws when ldd is missing, or when a library is not on this machine
 */
export async function linkedLibraries(
  programs: readonly string[],
  { inside, signal }: { inside?: string; signal: AbortSignal },
): Promise<Rootfs> {
  if (programs.length === 0) return new Map();
  const { code, out, tail } = await runCommand({
    command: 'ldd',
    args: programs,
    timeoutMs: LDD_LIMIT_MS,
    signal,
  });
  if (code !== 0 && !/statically linked|not a dynamic executable/.test(tail)) throw new Error(`ldd failed:\n${tail}`);
  const found = parseLdd(out).filter((path) => inside === undefined || !path.startsWith(inside));
  return new Map(found.map((path): [string, Content] => [imagePath(path), { file: path, mode: 0o755 }]));
}

/**
 * Absolute paths in ldd's answer, each once. The vDSO has none: the kernel brings it.
 * @throws Error that names libraries which are not found
 */
export function parseLdd(out: string): string[] {
  const missing = [...out.matchAll(/^\s*(\S+) => not found$/gm)].map(([, name]) => name);
  if (missing.length > 0) throw new Error(`libraries missing on this machine: ${missing.join(', ')}`);
  return [...new Set([...out.matchAll(/(?:=> )?(\/\S+) \(0x[0-9a-f]+\)$/gm)].map(([, path]) => path as string))];
}

/** Below usr/, where Debian's links /lib and /lib64 lead. */
export function imagePath(path: string): string {
  return path.startsWith('/usr/') ? path.slice(1) : `usr${path}`;
}
