// `zonestead complete`, which the scripts of `zonestead completion` call. An error prints nothing: a shell would show
// it in the middle of the line that you type.
import { type CommandContext, describeCommand } from '../command.ts';
import { findAccess, REST_SETTINGS } from '../rest/access.ts';

export const command = describeCommand({
  name: 'complete',
  describe: 'print the words that can continue a command line, one on each line, for the scripts of completion',
  arguments: [{ usage: '[words...]', describe: 'the words after "zonestead"; the last one is the word to complete' }],
  settings: REST_SETTINGS,
  passThrough: true,
  isHidden: true,
  run: async (words, _options, { missing, config, print, signal }) => {
    const { completeWords } = await import('./candidates.ts');
    const { OUTLINES } = await import('./outlines.ts');
    const found = completeWords(
      OUTLINES.filter(({ name }) => !missing.includes(name)),
      words,
    );
    if (found === 'files') return print(':files');
    if (typeof found !== 'string') {
      for (const { word, describe } of found) print(`${word}\t${describe}`);
      return;
    }
    const settings = await readSettings(config);
    if (settings === null) return;
    const { zoneNames } = await import('./zone-names.ts');
    for (const name of await zoneNames(settings, signal)) {
      if (name.startsWith(words.at(-1) ?? '')) print(`${name}\t`);
    }
  },
});

/** Null without settings and without a login. */
async function readSettings(config: CommandContext<(typeof REST_SETTINGS)[number]>['config']) {
  try {
    const { environment } = await findAccess({});
    return config(environment);
  } catch {
    return null;
  }
}
