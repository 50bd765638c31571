// The restart of a server after a change of its secrets.
import type { SettingName } from '#config.ts';
import type { CommandContext } from './command.ts';

/**
 * Runs a server until its signal. If a file that a secret was read from changes, the process ends, and its supervisor
 * restarts it.
 */
export async function untilSecretsChange<Name extends SettingName>(
  { print, stop }: CommandContext<Name>,
  run: () => Promise<void>,
): Promise<void> {
  const { followSecrets } = await import('#telemetry/secrets.ts');
  const { secretFiles } = await import('#config.ts');
  const end = new AbortController();
  void followSecrets(secretFiles(), print, end.signal).then(
    (changed) => changed && stop(new Error('a secret changed')),
  );
  try {
    await run();
  } finally {
    end.abort();
  }
}
