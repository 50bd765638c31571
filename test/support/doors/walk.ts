// A reader types the commands of a page against the service, in an empty folder, with the files that the page shows.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { readPage } from '../docs/document.ts';
import { PLAN, type ScenarioName } from '../docs/plan.ts';
import { follow, type Own, typed } from '../docs/reader.ts';
import { type Step, scenario } from '../docs/scenario.ts';
import { openShell } from '../docs/shell.ts';
import { COMPILED } from '../program/compiled.ts';
import type { TestService } from '../service/service.ts';

interface Walk {
  service: TestService;
  /** Empty; the home of the reader. */
  folder: string;
  /** The addresses that the reader inserts, also into the files. */
  own: Own;
  /** Programs that are not in the path, with the words that start them. */
  programs?: Readonly<Record<string, readonly string[]>>;
  env?: Readonly<Record<string, string>>;
  /** A command whose failure has these words is typed again, at most twice. */
  again?: RegExp;
}

/** The output of a command that the page shows to fail. */
const FAILS = /update failed|EDE/;
const TRIES = 3;

/** @param steps the commands. @throws Error if one fails, or shows something else than the page */
export async function walk(
  steps: ScenarioName,
  { service, folder, own, programs = {}, env = {}, again }: Walk,
): Promise<void> {
  const base = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', ...COMPILED };
  const shell = openShell({ cwd: folder, env: { ...base, DATABASE_URL: service.database.url, ...env } });
  const pages = new Set(PLAN[steps].choices.map(({ page }) => page));
  for (const page of pages) {
    for (const { file, text } of (await readPage(page)).blocks) {
      if (file !== undefined) await writeFile(join(folder, file), `${typed(text, own)}\n`);
    }
  }
  const start = { zonestead: [process.execPath, inject('program')], ...programs };
  const one = async (step: Step) => {
    const refused = step.shown.some((line) => FAILS.test(line));
    for (let tries = 1; ; tries += 1) {
      try {
        return await follow({ ...step, refused }, { shell, own });
      } catch (error) {
        if (tries === TRIES || again === undefined || !again.test(String(error))) throw error;
      }
    }
  };
  try {
    for (const [name, words] of Object.entries(start)) await shell.type(`${name}() { ${words.join(' ')} "$@"; }`);
    for (const step of await scenario(steps)) await one(step);
  } finally {
    await shell.close();
  }
}
