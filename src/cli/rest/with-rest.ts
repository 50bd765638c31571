// The parts that all commands over the REST API share.
import { formatError } from '#base/error-text.ts';
import { adminCommand } from '../admin-hint.ts';
import type { CommandContext } from '../command.ts';
import type { OutputOption } from '../output.ts';
import type { Session } from './session.ts';

export const REST_SETTINGS = ['ZONESTEAD_URL', 'ZONESTEAD_URL_CA', 'ZONESTEAD_API_KEY'] as const;

const NEXT =
  'ZONESTEAD_URL is the address of the service, and ZONESTEAD_API_KEY a key of it, or ZONESTEAD_API_KEY_FILE a file with one. In a checkout, "source .local/env" sets them for the stack of "npm run up".';

/** @throws Error that says which settings are missing, and where they come from */
async function configOf({ config, words }: CommandContext<(typeof REST_SETTINGS)[number]>) {
  try {
    return config();
  } catch (error) {
    const { isSet } = await import('#config.ts');
    const { OUTLINES } = await import('../completion/outlines.ts');
    const twin = isSet('DATABASE_URL') ? adminCommand(OUTLINES, words) : null;
    const other = twin === null ? '' : ` With DATABASE_URL alone, call "${twin}".`;
    throw new Error(`${formatError(error)} ${NEXT}${other}`);
  }
}

/** @throws Error with a message for people */
export async function withRest(
  context: CommandContext<(typeof REST_SETTINGS)[number]>,
  options: OutputOption,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const { withSession } = await import('./session.ts');
  await withSession(await configOf(context), options, context, work);
}
