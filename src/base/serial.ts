// Work with the same key runs one after another, in the order of the calls; work with other keys at the same time.
import { Limit } from './limit.ts';

/** @throws the error of the work; the signal's reason when it aborts before the work begins */
export type Serial = <T>(key: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export function createSerial(): Serial {
  const limit = new Limit({ permits: Number.POSITIVE_INFINITY, share: 1 });
  return (key, work, signal) => limit.run(key, work, signal);
}
