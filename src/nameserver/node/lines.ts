// NDJSON as it arrives: chunks of octets in, lines out, with a bound on a line and on silence.
import type { Clock } from '#base/clock.ts';
import { FeedFault } from './faults.ts';

interface LineLimits {
  /** The longest line in bytes. */
  readonly maxBytes: number;
  /** The longest wait for the next octet, in ms. */
  readonly silenceMs: number;
  readonly clock: Clock;
  /** Ends the connection, so that a wait for the next chunk rejects. */
  abort(reason: Error): void;
}

const NEWLINE = 10;
/**
 * After a turn of the event loop that took long, octets that have arrived are read before the connection counts as
 * silent.
 */
const GRACE_MS = 250;

/**
 * Yields each complete line without its end. Octets after the last line end are not a line: the answer was cut there.
 * @throws FeedFault for a line that is too long; the reason of `abort` after silence
 */
export async function* readFeedLines(body: AsyncIterable<Uint8Array>, limits: LineLimits): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await heard(chunks.next(), limits);
      if (next.done) return;
      let rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
      for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
        if (bytes + end > limits.maxBytes) throw tooLong(limits.maxBytes);
        yield Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8');
        parts = [];
        bytes = 0;
        rest = rest.subarray(end + 1);
      }
      if (rest.length === 0) continue;
      bytes += rest.length;
      if (bytes > limits.maxBytes) throw tooLong(limits.maxBytes);
      parts.push(rest);
    }
  } finally {
    limits.abort(new FeedFault('the reader has ended'));
  }
}

function tooLong(maxBytes: number): FeedFault {
  return new FeedFault(`a line of the api's answer is longer than ${maxBytes} bytes`);
}

/** Waits for the chunk with the limit of silence. */
async function heard<T>(chunk: Promise<T>, { silenceMs, clock, abort }: LineLimits): Promise<T> {
  let cancel = clock.setTimeout(() => {
    cancel = clock.setTimeout(() => abort(new FeedFault(`the api sent nothing for ${silenceMs / 1000} s`)), GRACE_MS);
  }, silenceMs);
  try {
    return await chunk;
  } finally {
    cancel();
  }
}
