// A download whose content the project knows. A file with another digest is refused, so no server decides about the
// content.
import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { Progress } from './cache.ts';

export interface PinnedFile {
  url: string;
  algorithm: 'sha256' | 'sha512';
  /** In hexadecimal. */
  digest: string;
  /** The file of this checkout that has the digest, for the message of a refusal. */
  pinnedIn: string;
}

/** In ms. A network that drops packets gives no error. */
export interface DownloadLimits {
  /** The time in which a server must answer. */
  answerMs: number;
  /** The time in which more of the content must arrive. */
  stallMs: number;
}

const LIMITS: DownloadLimits = { answerMs: 5_000, stallMs: 10_000 };
const NEWS_BYTES = 20_000_000;

/**
 * Downloads to `target`, whose folder must exist.
 * @throws Error that names the address: when no server answers in time, when the content stops, when the digest is
 * another. It deletes the file at `target` before
 */
export async function downloadPinned(
  file: PinnedFile,
  target: string,
  { limits = LIMITS, progress, signal }: { limits?: DownloadLimits; progress: Progress; signal: AbortSignal },
): Promise<void> {
  const { url, algorithm, digest, pinnedIn } = file;
  const hash = createHash(algorithm);
  const stop = new AbortController();
  let reason = `no answer within ${limits.answerMs / 1000} s`;
  let timer = setTimeout(() => stop.abort(), limits.answerMs);
  const handle = await open(target, 'wx');
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, stop.signal]) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    reason = `nothing arrived for ${limits.stallMs / 1000} s`;
    let bytes = 0;
    let shown = 0;
    for await (const chunk of response.body ?? []) {
      clearTimeout(timer);
      timer = setTimeout(() => stop.abort(), limits.stallMs);
      hash.update(chunk);
      await handle.write(chunk);
      bytes += chunk.length;
      if (bytes < shown + NEWS_BYTES) continue;
      shown = bytes;
      progress(`  ${Math.floor(bytes / 1_000_000)} MB`);
    }
    const actual = hash.digest('hex');
    if (actual !== digest)
      throw new Error(
        `the content has the ${algorithm.replace('sha', 'SHA-')} digest ${actual}, and not ${digest}, so it is not used. If the publisher gives the new digest on another way too, write it into ${pinnedIn}`,
      );
  } catch (error) {
    await rm(target);
    signal.throwIfAborted();
    const { message, cause } = error as Error;
    throw new Error(`${url}: ${stop.signal.aborted ? reason : (cause as Error)?.message || message}`);
  } finally {
    clearTimeout(timer);
    await handle.close();
  }
}
