// Prints findings as text, in the same form for every command.
import { dropUnprintable } from '#base/printable.ts';
import type { Finding } from '#diagnosis/finding.ts';

const MARKS = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

/** One line, and below it the next step with its commands. Text of others is in it, so it is made printable. Pure. */
export function findingLines({ level, what, nextStep }: Finding): string[] {
  const { words, commands = [] } = nextStep ?? {};
  return [
    `${MARKS[level]}  ${what}`,
    ...(words === undefined ? [] : [`      → ${words}`]),
    ...commands.map((command) => `        ${command}`),
  ].map(dropUnprintable);
}

export function printFindings(findings: readonly Finding[], print: (line: string) => void): void {
  for (const finding of findings) for (const line of findingLines(finding)) print(line);
}
