// The parts of help after the list of options: notes, settings and examples.
import type { Command } from 'commander';
import type { SettingFacts } from '#config.ts';

/** The longest line, in characters, also on a wider terminal. */
const MAX_WIDTH = 80;
const INDENT = '      ';

/** Adds a part to the help of a command. An empty text adds nothing. @param part gets the length of a line */
export function addHelp(command: Command, part: (width: number) => string): void {
  command.addHelpText('after', () => part(Math.min(MAX_WIDTH, process.stdout.columns || MAX_WIDTH)));
}

/** Paragraphs, which an empty line separates. Their other line feeds are those of the source. */
export function notesHelp(notes: string | undefined, width: number): string {
  if (notes === undefined) return '';
  return notes
    .split('\n\n')
    .flatMap((paragraph) => ['', ...wrapped(paragraph.replaceAll('\n', ' '), width)])
    .join('\n');
}

/** Whole command lines, which a person can copy: they are not broken. */
export function examplesHelp(examples: readonly string[] = []): string {
  return examples.length === 0 ? '' : ['', 'Examples:', ...examples.map((line) => `  ${line}`)].join('\n');
}

/** A line with the name and the default of each setting, and its description below. */
export function settingsHelp(settings: readonly SettingFacts[] = [], width = MAX_WIDTH): string {
  if (settings.length === 0) return '';
  const lines = settings.flatMap(({ name, description, isRequired, isSecret, otherwise, ...setting }) => {
    const remark = isRequired ? 'required' : `default: ${setting.default || otherwise || 'none'}`;
    const file = isSecret ? ` ${name}_FILE can name a file with the value.` : '';
    return [
      `  ${name} (${remark})`,
      ...wrapped(`${description}${file}`, width - INDENT.length).map((line) => INDENT + line),
    ];
  });
  return ['', 'Settings (environment variables):', ...lines].join('\n');
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
