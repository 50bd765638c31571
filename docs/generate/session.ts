// The picture of a terminal session in README. Its commands and their output are those of the tutorial, which a test
// types on a real stack and compares, so the picture shows what happens.
import { readFile } from 'node:fs/promises';
import { drawTerminal, type Typed } from './terminal.ts';

const TUTORIAL = 'docs/tutorials/first-zone.md';
export const SESSION_FILE = 'docs/images/session.svg';
const TITLE =
  'A terminal: kubectl applies a zone with two records, dig and delv ask for them, and two mistakes are explained.';

/** The commands of the picture by their first words, in the order of the tutorial, each with a sentence about it. */
const CHOSEN: readonly (readonly [begins: string, caption: string])[] = [
  ['kubectl apply -f mine.yaml', 'Ready means: every name server has answered with the new data'],
  ['kubectl get zdr mine-www', 'An object shows what it serves'],
  ['delv -a anchor +root=mine.example @127.0.0.1 -p $ZONESTEAD_DNS_PORT any.apps', 'Every answer is signed'],
  [
    'kubectl patch zdr mine-www --type merge -p \'{"spec":{"content":"300',
    'kubectl refuses a wrong value, and says what is right',
  ],
  ['kubectl zonestead why zdr/second', 'A plugin says why an object is not Ready, and what to do'],
];

export async function sessionPicture(): Promise<string> {
  const page = await readFile(new URL(`../../${TUTORIAL}`, import.meta.url), 'utf8');
  const typed = readConsole(page);
  return drawTerminal(
    TITLE,
    CHOSEN.map(([begins, caption]) => {
      const found = typed.find(({ command }) => command.startsWith(begins));
      if (found === undefined) throw new Error(`${TUTORIAL} has no command that begins with ${begins}`);
      return { ...found, caption };
    }),
  );
}

/** The commands in the blocks of a page that show a terminal, each with the lines after it. */
function readConsole(page: string): Omit<Typed, 'caption'>[] {
  return [...page.matchAll(/^( *)```console\n([\s\S]*?)^ *```$/gm)].flatMap(([, indent = '', body = '']) => {
    const own = body
      .split('\n')
      .slice(0, -1)
      .map((line) => line.slice(indent.length));
    return own
      .join('\n')
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [command = '', ...lines] = part.trimEnd().split('\n');
        // The page omits lines with "…".
        return { command, output: lines.filter((line) => line.trim() !== '…') };
      });
  });
}
