// The description of a command over the REST API, with its work: the settings, the option for the output and the
// session are the same for all of them.
import { type CommandDescription, describeCommand } from '../command.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';
import { CONTEXT_OPTION, type ContextOption, REST_SETTINGS } from './access.ts';
import type { Session } from './session.ts';
import { checkWait, WAIT_OPTIONS, type WaitOptions } from './wait-options.ts';
import { withRest } from './with-rest.ts';

interface RestDescription<Options> extends Omit<CommandDescription, 'settings' | 'run'> {
  /** Whether the command has --wait: `run` then calls `served` of the session after its change. (Default: false.) */
  waits?: boolean;
  /**
   * @returns the exit code, 0 if there is none
   * @throws Error with a message for people
   */
  run(session: Session, args: readonly string[], options: Options): Promise<number> | Promise<void>;
}

/** The argument of commands that are about one zone. */
export const ZONE = { usage: '<zone>', describe: 'name or id of the zone' } as const;

const ADDRESSES = 'ZONESTEAD_NAMESERVER_ADDRESSES';

/** The probe of name servers is loaded for a wait only. */
export async function waitIn(
  session: Session,
  zoneId: string,
  options: WaitOptions,
  addresses: string | undefined,
): Promise<void> {
  if (options.wait !== true) return;
  const { waitUntilServed } = await import('./wait.ts');
  await waitUntilServed(session, zoneId, { options, addresses: addresses ?? '' });
}

/** @param description its options get --output and --context in addition */
export function describeRestCommand<Options>({
  options = [],
  waits = false,
  run,
  ...description
}: RestDescription<Options>): CommandDescription {
  return describeCommand({
    ...description,
    options: [...options, ...(waits ? WAIT_OPTIONS : []), OUTPUT_OPTION, CONTEXT_OPTION],
    settings: waits ? [...REST_SETTINGS, ADDRESSES] : REST_SETTINGS,
    run: async (args, given: Options & OutputOption & ContextOption & WaitOptions, context): Promise<number> => {
      checkWait(given);
      let code = 0;
      await withRest(context, given, async (session, config) => {
        const served = (zoneId: string) => waitIn(session, zoneId, given, config[ADDRESSES]);
        code = (await run(waits ? { ...session, served } : session, args, given)) ?? 0;
      });
      return code;
    },
  });
}
