// DNSSEC keys as other DNS servers write them: made by BIND's dnssec-keygen, or written here from a key object.
import type { KeyObject } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../../deploy/local/parts/commands.ts';

const { signal } = new AbortController();

export interface KeyFiles {
  /** The path of the private half. */
  path: string;
  privateKey: string;
  /** The text of the `.key` file. */
  dnskey: string;
}

/** A key of BIND. @param words further arguments, `-f KSK` for flags 257 */
export async function makeBindKey(
  folder: string,
  zone: string,
  algorithm: string,
  words: readonly string[] = ['-f', 'KSK'],
): Promise<KeyFiles> {
  const args = ['-K', folder, '-a', algorithm, ...words, zone];
  const { out } = await runCommand({ command: 'dnssec-keygen', args, timeoutMs: 60_000, signal });
  return readKeyFiles(folder, out.trim());
}

/** The only key of a zone in a folder of BIND. */
export async function findBindKey(folder: string, zone: string): Promise<KeyFiles | null> {
  const [file, ...more] = (await readdir(folder)).filter(
    (name) => name.startsWith(`K${zone}.`) && name.endsWith('.private'),
  );
  if (more.length > 0) throw new Error(`${zone} has several keys in ${folder}`);
  return file === undefined ? null : readKeyFiles(folder, file.replace(/\.private$/, ''));
}

async function readKeyFiles(folder: string, name: string): Promise<KeyFiles> {
  const path = join(folder, `${name}.private`);
  const privateKey = await readFile(path, 'utf8');
  return { path, privateKey, dnskey: await readFile(join(folder, `${name}.key`), 'utf8') };
}

const RSA_LINES = {
  ...{ n: 'Modulus', e: 'PublicExponent', d: 'PrivateExponent', p: 'Prime1', q: 'Prime2' },
  ...{ dp: 'Exponent1', dq: 'Exponent2', qi: 'Coefficient' },
} as const;

/** An RSA key in BIND's format. @param changes other values of its lines */
export function writeBindRsa(key: KeyObject, changes: Readonly<Record<string, string>> = {}): string {
  const jwk = key.export({ format: 'jwk' });
  const lines = Object.entries(RSA_LINES).map(([member, name]) => {
    const octets = Buffer.from(String(jwk[member as keyof typeof RSA_LINES]), 'base64url');
    return `${name}: ${changes[name] ?? octets.toString('base64')}`;
  });
  return ['Private-key-format: v1.3', `Algorithm: ${changes.Algorithm ?? '8 (RSASHA256)'}`, ...lines, ''].join('\n');
}
