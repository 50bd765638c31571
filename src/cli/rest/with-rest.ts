// The parts that all commands over the REST API share.
import { formatError } from '#base/error-text.ts';
import type { Config, SettingName } from '#config.ts';
import { adminCommand } from '../admin-hint.ts';
import type { CommandContext } from '../command.ts';
import type { OutputOption } from '../output.ts';
import { type Access, type ContextOption, findAccess, type REST_SETTINGS } from './access.ts';
import type { Session } from './session.ts';

const NEXT =
  '"zonestead login <address>" keeps both for you. ZONESTEAD_URL is the address of the service, and ZONESTEAD_API_KEY a key of it, or ZONESTEAD_API_KEY_FILE a file with one. In a checkout, "source .local/env" sets them for the stack of "npm run up".';

type RestName = (typeof REST_SETTINGS)[number];

/** @throws Error that says which settings are missing, and where they come from */
async function configOf<Name extends SettingName>(
  { config, words }: CommandContext<Name>,
  { environment }: Access,
): Promise<Config<Name>> {
  try {
    return config(environment);
  } catch (error) {
    const { isSet } = await import('#config.ts');
    const { OUTLINES } = await import('../completion/outlines.ts');
    const twin = isSet('DATABASE_URL') ? adminCommand(OUTLINES, words) : null;
    const other = twin === null ? '' : ` With DATABASE_URL alone, call "${twin}".`;
    throw new Error(`${formatError(error)} ${NEXT}${other}`);
  }
}

/** @throws Error with a message for people */
export async function withRest<Name extends SettingName>(
  context: CommandContext<Name | RestName>,
  options: OutputOption & ContextOption,
  work: (session: Session, config: Config<Name | RestName>) => Promise<void>,
): Promise<void> {
  const { withSession } = await import('./session.ts');
  const access = await findAccess(options);
  const config = await configOf(context, access);
  const named = { ...(config as Config<RestName>), context: access.context };
  await withSession(named, options, context, (session) => work(session, config));
}
