// The API key of a client: a fixed text, or a file. kubelet replaces the token in a file every few minutes, so a client
// reads the file again while it runs. Nothing here logs a key, and no error contains one.
import { readFile } from 'node:fs/promises';
import type { Clock } from '#base/clock.ts';
import { ApiUnavailable } from './errors.ts';

/** An API key or a token, or the file that holds it. */
export type ClientKey = string | { readonly file: string };

export interface KeyText {
  /**
   * The text for the next call.
   * @throws KeyUnreadable if the file has never held a key, or holds none after a refusal
   */
  current(): Promise<string>;
  /**
   * The service refuses this text.
   * @returns the text that the file holds now; null if it is the same
   * @throws KeyUnreadable
   */
  after(refused: string): Promise<string | null>;
}

/** The file of the API key is missing, empty or not a key. kubelet replaces the file, so a later call can succeed. */
export class KeyUnreadable extends ApiUnavailable {
  constructor(file: string, problem: string) {
    super(`The file of the API key, ${file}, ${problem}. The next call reads it again`);
    this.name = 'KeyUnreadable';
  }
}

/** kubelet replaces a token at 80 % of its life, which is at least two minutes before it expires. */
const READ_EVERY_MS = 5_000;
/** A service account token has about 1 kB. */
const LONGEST = 16_384;

export function createKeyText(key: ClientKey, clock: Clock): KeyText {
  if (typeof key === 'string') return { current: async () => key, after: async () => null };
  const { file } = key;
  let currentText: string | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<string> | undefined;

  const read = (): Promise<string> => {
    reading ??= readKey(file)
      .then((text) => {
        currentText = text;
        readAt = clock.now();
        return text;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };

  return {
    current: async () => {
      if (currentText !== undefined && clock.now() - readAt < READ_EVERY_MS) return currentText;
      try {
        return await read();
      } catch (error) {
        // The last text stays valid while kubelet replaces the file.
        if (currentText === undefined) throw error;
        return currentText;
      }
    },
    after: async (refusedText) => {
      if (currentText !== undefined && currentText !== refusedText) return currentText;
      try {
        const text = await read();
        return text === refusedText ? null : text;
      } catch (error) {
        currentText = undefined;
        throw error;
      }
    },
  };
}

/** @throws KeyUnreadable */
async function readKey(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new KeyUnreadable(file, `cannot be read (${error.code})`);
  });
  const key = text.trim();
  if (key === '') throw new KeyUnreadable(file, 'is empty');
  if (key.length > LONGEST || !/^[\x21-\x7e]+$/.test(key)) {
    throw new KeyUnreadable(file, `must hold one key of at most ${LONGEST} printable ASCII characters`);
  }
  return key;
}
