// Files and standard input, as texts. A path may be from a repository of others, where a name can stand for a device, a
// pipe or a link to anywhere. So a path is opened once, the open file is judged, and its octets are counted.
import { closeSync, constants, createReadStream, fstatSync, open } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { shownText } from '#base/printable.ts';

/** The octets of the largest input: an export of several hundred thousand records. */
export const MAX_INPUT = 64 * 1024 * 1024;
const TOO_LARGE = `it has more than ${MAX_INPUT / 1024 / 1024} MiB`;
/** The characters of a path that an error shows. */
const MAX_PATH = 300;

const openPath = promisify(open) as (path: string, flags: number) => Promise<number>;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'you may not read it',
  ELOOP: 'it is a link that leads to itself',
};

/**
 * @param path `-` for standard input
 * @param options.onlyFile refuses pipes, which a user may name, but a folder should not have. (Default: false.)
 * @throws Error that names the path, if the text is not there, not UTF-8, or has more than 64 MiB
 */
export async function readInput(
  path: string,
  signal: AbortSignal,
  { onlyFile = false }: { onlyFile?: boolean } = {},
): Promise<string> {
  try {
    return decode(path === '-' ? await readStream(process.stdin, signal) : await readPath(path, signal, onlyFile));
  } catch (error) {
    signal.throwIfAborted();
    throw unreadable(path, error);
  }
}

/** The error for people about a path that cannot be read. */
export function unreadable(path: string, error: unknown): Error {
  const name = path === '-' ? 'standard input' : shownText(path, MAX_PATH);
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new Error(`${name} cannot be read: ${REASONS[code] ?? message}`);
}

function decode(octets: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(octets);
  } catch {
    throw new Error('it is not UTF-8; convert it, for instance with iconv -t UTF-8');
  }
}

async function readPath(path: string, signal: AbortSignal, onlyFile: boolean): Promise<Buffer> {
  // Without O_NONBLOCK, a pipe without a writer would never be opened, and nothing could end the wait.
  const fd = await openPath(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const kind = fstatSync(fd);
  // Each stream closes the descriptor.
  if (kind.isFile()) return readStream(createReadStream('', { fd, end: MAX_INPUT }), signal);
  if (kind.isFIFO() && !onlyFile) return readStream(new Socket({ fd, readable: true, writable: false }), signal);
  closeSync(fd);
  throw new Error(kind.isDirectory() ? 'it is a folder' : 'it is not a file');
}

async function readStream(stream: Readable, signal: AbortSignal): Promise<Buffer> {
  const stop = () => stream.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await collect(stream);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** All octets of a stream. @throws Error after more than 64 MiB */
export async function collect(stream: AsyncIterable<Uint8Array | string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const octets = Buffer.from(chunk as Uint8Array);
    size += octets.length;
    if (size > MAX_INPUT) throw new Error(TOO_LARGE);
    chunks.push(octets);
  }
  return Buffer.concat(chunks, size);
}
