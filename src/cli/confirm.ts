// The confirmation of a change that deletes more than one record.
import { createInterface } from 'node:readline/promises';
import type { YesOption } from './options.ts';

/**
 * Asks at a terminal. Elsewhere no person could answer.
 * @param effect the effect of the change, as a whole sentence without a period
 * @param flag the option that confirms it without a question
 * @throws Error unless the change is confirmed
 */
export async function confirm(
  effect: string,
  { yes = false }: YesOption,
  signal: AbortSignal,
  flag: '--yes' | '--force' = '--yes',
): Promise<void> {
  if (yes) return;
  const { stdin: input, stderr: output } = process;
  if (!input.isTTY || !output.isTTY) throw new Error(`${effect}; repeat the command with ${flag}`);
  const terminal = createInterface({ input, output });
  try {
    const answer = await terminal.question(`${effect}. Continue? [y/N] `, { signal });
    if (!/^y(es)?$/i.test(answer.trim())) throw new Error('you did not agree, so nothing is changed');
  } finally {
    terminal.close();
  }
}
