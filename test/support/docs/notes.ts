// The commands of what `helm install` prints at its end, which is text and not Markdown: what is set in by two blanks, and what
// follows a colon at the end of a line. Pure.
import { isCommand, shellCommands } from './commands.ts';

export function notesCommands(notes: string): string[] {
  const found: string[] = [];
  for (const paragraph of notes.split(/\n\s*\n/)) {
    const lines = paragraph.split('\n');
    if (lines[0]?.startsWith('  ')) {
      found.push(...shellCommands(lines.map((line) => line.slice(2)).join('\n')).map(({ text }) => text));
      continue;
    }
    for (const line of lines) {
      const last = /: (.*)$/.exec(line)?.[1]?.trim();
      if (last !== undefined && isCommand(last)) found.push(last);
    }
  }
  return found;
}
