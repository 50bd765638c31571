// Files that hold secrets, watched for change: kubelet renews the files of a Secret in place, and a process that read one at its
// start would go on with what has been taken back. It must not know what the secrets are for.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 5_000;

/**
 * Waits until a file holds something else than `known` says, and tells its name in one line. A file that cannot be read, or is
 * empty, is no change: a renewal passes through such moments.
 * @returns whether one changed; false when the signal aborts, at once when there is no file
 */
export async function followSecrets(
  known: ReadonlyMap<string, string>,
  print: (line: string) => void,
  signal: AbortSignal,
  everyMs = LOOK_EVERY_MS,
): Promise<boolean> {
  if (known.size === 0) return false;
  for (;;) {
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return false;
    for (const [file, text] of known) {
      const now = (await readFile(file, 'utf8').catch(() => '')).trim();
      if (now === '' || now === text) continue;
      print(
        JSON.stringify({
          level: 'info',
          time: new Date().toISOString(),
          msg: `${file} changed: ending, to start anew with it`,
        }),
      );
      return true;
    }
  }
}
