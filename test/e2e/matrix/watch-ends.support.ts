// How the watches of an operator ended, read from its log at level debug: this is how a test sees that the operator
// itself met a fault of the API server or of the way to it.
export interface WatchEnd {
  /** The plural of the watched type. */
  readonly cache: string;
  /**
   * `server`, `silent` or `deadline` for a watch that was closed; the HTTP status of a failed one, 0 for a lost
   * connection; `unsure` for one that was not opened again, because the history may be another one.
   */
  readonly how: string | number;
}

interface Line {
  readonly msg?: string;
  readonly cache?: string;
  readonly by?: string;
  readonly err?: { readonly status?: number };
}

/** @param lines JSON lines, oldest first */
export function watchEnds(lines: readonly string[]): WatchEnd[] {
  return lines.flatMap((text): WatchEnd[] => {
    const { msg, cache = '', by = '', err } = JSON.parse(text) as Line;
    if (msg === 'the watch ended') return [{ cache, how: by }];
    if (msg === 'the history may be another one: listed again') return [{ cache, how: 'unsure' }];
    return msg === 'the watch failed' ? [{ cache, how: err?.status ?? -1 }] : [];
  });
}
