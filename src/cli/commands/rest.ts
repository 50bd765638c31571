// The parts that all commands over the REST API share.
import type { CommandContext, OptionDescription } from '../command.ts';
import type { Session } from '../rest/session.ts';

export const REST_SETTINGS = ['ZONESTEAD_URL', 'ZONESTEAD_API_KEY'] as const;

export const JSON_OPTION: OptionDescription = { flags: '--json', describe: 'print JSON' };

export interface JsonOption {
  json?: boolean;
}

/** @throws Error with a message for people */
export async function withRest(
  { config, print, signal }: CommandContext<(typeof REST_SETTINGS)[number]>,
  options: JsonOption,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const { withSession } = await import('../rest/session.ts');
  await withSession(config(), options, print, signal, work);
}
