// The parts that all commands over the REST API share.
import type { CommandContext } from '../command.ts';
import type { OutputOption } from '../output.ts';
import type { Session } from '../rest/session.ts';

export const REST_SETTINGS = ['ZONESTEAD_URL', 'ZONESTEAD_API_KEY'] as const;

/** @throws Error with a message for people */
export async function withRest(
  context: CommandContext<(typeof REST_SETTINGS)[number]>,
  options: OutputOption,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const { withSession } = await import('../rest/session.ts');
  await withSession(context.config(), options, context, work);
}
