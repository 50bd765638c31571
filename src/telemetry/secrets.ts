// Watches files that contain secrets: kubelet renews the files of a Secret in place, and a process that read one at its
// start would otherwise keep using a revoked value.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 5_000;

/**
 * Waits until the content of a file differs from `textByFile`, and logs its name. A file that is empty or cannot be
 * read counts as unchanged, because a renewal passes through such moments.
 * @returns whether a file changed; false when the signal aborts, at once when there is no file
 */
export async function followSecrets(
  textByFile: ReadonlyMap<string, string>,
  print: (line: string) => void,
  signal: AbortSignal,
  everyMs = LOOK_EVERY_MS,
): Promise<boolean> {
  if (textByFile.size === 0) return false;
  for (;;) {
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return false;
    for (const [file, text] of textByFile) {
      const now = (await readFile(file, 'utf8').catch(() => '')).trim();
      if (now === '' || now === text) continue;
      print(
        JSON.stringify({
          level: 'info',
          time: new Date().toISOString(),
          msg: `${file} changed: shutting down to restart with it`,
        }),
      );
      return true;
    }
  }
}
