/** One link of a chain of trust, as it was judged. */

/** `unknown`: no server answered. */
export type LinkState = 'valid' | 'missing' | 'mismatch' | 'unknown';

export interface Link<T> {
  state: LinkState;
  /** One sentence for people. */
  reason: string;
  entries: (T & { state: 'valid' | 'mismatch' })[];
}
