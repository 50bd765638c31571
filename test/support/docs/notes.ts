// The commands in the notes that `helm install` prints at its end. The notes are plain text: a command is indented by
// two blanks, or follows a colon at the end of a line. Pure.
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
