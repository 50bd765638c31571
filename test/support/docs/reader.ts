// Follows a scenario of the plan as a user does: types its commands in their order and checks that the output is the
// one that the page shows.
import { setTimeout } from 'node:timers/promises';
import type { Step } from './scenario.ts';
import type { Shell } from './shell.ts';
import { complaint, type Ids, withIds } from './shown.ts';

/** The values that a reader inserts: names of hosts, keys, NAMES in capitals. */
export type Own = Readonly<Record<string, string>>;

export interface Reading {
  shell: Shell;
  own?: Own;
  ids?: Ids;
  seconds?: number;
}

/** The command as this reader types it. Pure. */
export function typed(text: string, own: Own, ids: Ids = new Map()): string {
  let result = withIds(text, ids);
  for (const [word, value] of Object.entries(own).sort(([a], [b]) => b.length - a.length)) {
    // NAMES in capitals are whole words; ids and addresses stand anywhere.
    const found = /^[A-Z]+$/.test(word) ? new RegExp(`\\b${word}\\b`, 'g') : word;
    result = result.replaceAll(found, () => value);
  }
  return result;
}

/**
 * A change is shown some milliseconds after a write, on a busy machine some seconds. Pages that say longer have it in
 * the plan.
 */
const AGAIN_SECONDS = 10;
const PAUSE_MS = 200;
/** Commands that only look. */
const LOOK = /^(dig|delv|kubectl (-n \S+ )?(get|describe|wait)) /;

/**
 * Runs it and holds its output against what the page shows, and then looks for its result. A command that only looks is
 * repeated until its output is the shown one.
 * @returns the output. @throws with both when it fails, shows something else, or made nothing
 */
export async function follow(command: Step, reading: Reading): Promise<string> {
  const seconds = LOOK.test(command.text) ? (command.seconds ?? AGAIN_SECONDS) : 0;
  const output = await repeat(seconds, () => followOnce(command, reading));
  const { proof } = command;
  if (proof !== undefined) await repeat(proof.seconds ?? AGAIN_SECONDS, () => prove(command, output, reading));
  return output;
}

async function repeat<T>(seconds: number, once: () => Promise<T>): Promise<T> {
  const until = performance.now() + seconds * 1_000;
  for (;;) {
    try {
      return await once();
    } catch (error) {
      if (performance.now() >= until) throw error;
    }
    await setTimeout(PAUSE_MS);
  }
}

/** @throws if the result of the command is not there */
async function prove({ text, page, section, proof }: Step, output: string, reading: Reading): Promise<void> {
  if (proof === undefined) return;
  const { shell, own = {}, ids = new Map(), seconds } = reading;
  const look = proof.look === undefined ? undefined : typed(proof.look, own, ids);
  const seen = look === undefined ? output : (await shell.type(look, seconds)).output;
  if (proof.shows.test(seen)) return;
  throw new Error(`${page}, ${section}: ${text}
left nothing that ${proof.shows} describes: ${look ?? ''}\n${seen}`);
}

async function followOnce(command: Step, reading: Reading): Promise<string> {
  const { shell, own = {}, ids = new Map(), seconds } = reading;
  const text = typed(command.text, own, ids);
  const { code, output } = await shell.type(text, seconds);
  const where = `${command.page}, ${command.section}: ${text}`;
  const nothing = command.mayFindNothing === true && code === 1 && output === '';
  if ((code === 0 || nothing) === command.refused) throw new Error(`${where}\nended with code ${code}:\n${output}`);
  const shown = command.shown.map((line) => typed(line, own, ids));
  const wrong = complaint(shown, output, ids);
  if (wrong !== undefined) throw new Error(`${where}\n${wrong}`);
  return output;
}
