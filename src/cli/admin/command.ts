// The description of a command over the database of the service, with its work. `zonestead admin` has them all. The
// service and the driver of the database are loaded when a command runs, so that help and completion need not wait.
import { Keyring } from '#base/keyring.ts';
import { DATABASE_SETTINGS } from '#base/postgres-settings.ts';
import { type CommandDescription, describeCommand } from '../command.ts';
import type { OutputOption } from '../output.ts';

/** The database, and the output of a command. */
export interface Administration {
  /** DATABASE_URL. */
  readonly url: string;
  /** ZONESTEAD_ENCRYPTION_KEYS, for a command with `encrypts`. Empty for others. */
  readonly keyring: Keyring;
  print(line: string): void;
  readonly signal: AbortSignal;
}

interface AdminDescription<Options> extends Omit<CommandDescription, 'settings' | 'run'> {
  /** Whether it writes private keys. */
  readonly encrypts?: boolean;
  /**
   * @returns the exit code, 0 if there is none
   * @throws Error with a message for people
   */
  run(administration: Administration, args: readonly string[], options: Options): Promise<number> | Promise<void>;
}

const ENCRYPTION_SETTINGS = [...DATABASE_SETTINGS, 'ZONESTEAD_ENCRYPTION_KEYS'] as const;

export function describeAdminCommand<Options>({
  run,
  encrypts = false,
  ...description
}: AdminDescription<Options>): CommandDescription {
  return describeCommand({
    ...description,
    settings: encrypts ? ENCRYPTION_SETTINGS : DATABASE_SETTINGS,
    run: async (args, options: Options, { config, print, signal }): Promise<number> => {
      const { DATABASE_URL: url, ZONESTEAD_ENCRYPTION_KEYS: keys = [] } = config();
      return (await run({ url, keyring: new Keyring(keys), print, signal }, args, options)) ?? 0;
    },
  });
}

/** The output of a command with --output. */
export function outputOf({ print }: Administration, { output: format }: OutputOption) {
  return { format, print };
}
