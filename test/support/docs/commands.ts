// The commands of a page: lines of `sh` blocks, lines after "$ " in `console` blocks with the output that is shown for
// them, and words in backticks that begin with a program. Pure.
import type { Page } from './document.ts';

export interface DocCommand {
  page: string;
  section: string;
  /** As it is on the page, with all its lines. */
  text: string;
  form: 'block' | 'inline';
  /** The lines that the page shows as its output; none: nothing is promised but that it succeeds. */
  shown: string[];
}

/** The programs that the pages call; a page about another program adds it here. */
const PROGRAMS = new Set(
  `. acme.sh certbot ctr curl delv dehydrated dig docker echo external-dns gpg helm kind kubectl lego node npm npx nsupdate
   octodns-dump octodns-sync openssl pg_dump pg_restore podman promtool psql skopeo source uacme zonestead select`.split(
    /\s+/,
  ),
);
/** The blocks that hold no command. */
const TEXTS = new Set(['', 'yaml', 'sql', 'ini']);

/** In the order of the page. @throws when a block is of a language that no test reads, or a text has a prompt */
export function listCommands(page: Page): DocCommand[] {
  const at = (section: string) => ({ page: page.path, section });
  const blocks = page.blocks.flatMap(({ section, language, text }) => {
    if (language === 'sh')
      return shellCommands(text).map((each) => ({ ...at(section), form: 'block' as const, ...each }));
    if (language === 'console')
      return consoleCommands(text).map((each) => ({ ...at(section), form: 'block' as const, ...each }));
    if (!TEXTS.has(language)) throw new Error(`${page.path}, ${section}: a block of language ${language}`);
    if (/^\$ /m.test(text))
      throw new Error(`${page.path}, ${section}: "$ " in a block that is not of language console`);
    return [];
  });
  const spans = page.spans
    .filter(({ text }) => isCommand(text))
    .map(({ section, text }) => ({ ...at(section), form: 'inline' as const, text, shown: [] }));
  return [...blocks, ...spans];
}

/** Whether words in backticks are something to type: a known program with an argument, settings before it allowed. */
export function isCommand(text: string): boolean {
  const words = text.split(/\s+/);
  const program = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  return program !== -1 && PROGRAMS.has(words[program] as string) && words.length > program + 1;
}

/** Indented lines after a command are its shown output. */
export function shellCommands(text: string): { text: string; shown: string[] }[] {
  const found: { text: string; shown: string[] }[] = [];
  const lines = text.split('\n');
  while (lines.length > 0) {
    const line = lines.shift() as string;
    if (line.trim() === '' || line.startsWith('#')) continue;
    if (/^\s/.test(line)) found.at(-1)?.shown.push(line.trim());
    else found.push({ text: whole(line, lines), shown: [] });
  }
  return found;
}

function consoleCommands(text: string): { text: string; shown: string[] }[] {
  const found: { text: string; shown: string[] }[] = [];
  const lines = text.split('\n');
  while (lines.length > 0) {
    const line = lines.shift() as string;
    if (line.startsWith('$ ')) found.push({ text: whole(line.slice(2), lines), shown: [] });
    else if (line.trim() !== '') found.at(-1)?.shown.push(line);
  }
  return found;
}

/** The command that begins with this line, with lines that a backslash continues, and with its here-document. */
function whole(line: string, rest: string[]): string {
  const lines = [line];
  while (lines.at(-1)?.endsWith('\\') && rest.length > 0) lines.push(rest.shift() as string);
  const end = /<<-?\s*'?(\w+)'?/.exec(lines.join('\n'))?.[1];
  while (end !== undefined && lines.at(-1) !== end && rest.length > 0) lines.push(rest.shift() as string);
  return lines.join('\n');
}
