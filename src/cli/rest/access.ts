// The address and the key of a command over the REST API: those of the environment, or of a login of "zonestead login".
import type { OptionDescription } from '../command.ts';

export const REST_SETTINGS = ['ZONESTEAD_URL', 'ZONESTEAD_URL_CA', 'ZONESTEAD_API_KEY'] as const;

export interface ContextOption {
  context?: string;
}

export const CONTEXT_OPTION: OptionDescription = {
  flags: '--context <name>',
  describe: 'login to use, as "contexts list" prints it (default: the settings, then the current context)',
};

export interface Access {
  /** For `config` of a command. Undefined: the environment of the process. */
  readonly environment: NodeJS.ProcessEnv | undefined;
  /** The context; null: settings of the environment, or none at all. */
  readonly context: string | null;
}

/**
 * The option comes first, then the environment, then the current context. The environment counts as a whole: a key of a
 * login is never sent to the address of a setting.
 * @throws Error that says what to do if there is no such context, and if the file of logins is not usable
 */
export async function findAccess({ context }: ContextOption): Promise<Access> {
  const { environmentWithAccess, isSet } = await import('#config.ts');
  const fromSettings = { environment: undefined, context: null };
  if (context === undefined && (isSet('ZONESTEAD_URL') || isSet('ZONESTEAD_API_KEY'))) return fromSettings;
  const { loginNamed, readLogins } = await import('../login/store.ts');
  const logins = await readLogins();
  const name = context ?? logins.current;
  if (name === null) return fromSettings;
  const { url, caFile, key } = loginNamed(logins, name);
  return {
    environment: environmentWithAccess({ url, key, ...(caFile === undefined ? {} : { caFile }) }),
    context: name,
  };
}
