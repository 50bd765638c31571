// The description of a command over the REST API, with its work: the settings, the option for the output and the
// session are the same for all of them.
import { type CommandDescription, describeCommand } from '../command.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';
import type { Session } from './session.ts';
import { REST_SETTINGS, withRest } from './with-rest.ts';

interface RestDescription<Options> extends Omit<CommandDescription, 'settings' | 'run'> {
  /**
   * @returns the exit code, 0 if there is none
   * @throws Error with a message for people
   */
  run(session: Session, args: readonly string[], options: Options): Promise<number> | Promise<void>;
}

/** The argument of commands that are about one zone. */
export const ZONE = { usage: '<zone>', describe: 'name or id of the zone' } as const;

/** @param description its options get --output in addition */
export function describeRestCommand<Options>({
  options = [],
  run,
  ...description
}: RestDescription<Options>): CommandDescription {
  return describeCommand({
    ...description,
    options: [...options, OUTPUT_OPTION],
    settings: REST_SETTINGS,
    run: async (args, given: Options & OutputOption, context): Promise<number> => {
      let code = 0;
      await withRest(context, given, async (session) => {
        code = (await run(session, args, given)) ?? 0;
      });
      return code;
    },
  });
}
