// The output of --dry-run: the records that a command would change.
import { styleText } from 'node:util';
import type { DnsRecord } from '#contract/record.ts';
import { differenceLines, type SetDifference } from '../difference.ts';
import { show } from '../output.ts';
import { ownedLines, ownedNotice } from './owned.ts';
import type { Session } from './session.ts';

/** Prints lines of differences, in red and green if standard output has colors. */
export function printDifferences(differences: readonly SetDifference[], print: (line: string) => void): void {
  for (const line of differenceLines(differences)) {
    print(styleText(line.startsWith('-') ? 'red' : 'green', line, { stream: process.stdout }));
  }
}

/**
 * @param touched the records that would change; those that have owners are named
 * @param health lines about records whose check, tier or answer at failure would change
 */
export async function showPreview(
  session: Session,
  differences: readonly SetDifference[],
  touched: readonly DnsRecord[] = [],
  health: readonly string[] = [],
): Promise<void> {
  const owned = ownedLines(touched);
  await show(
    session,
    { dryRun: true, differences, ...(owned.length > 0 ? { owned } : {}), ...(health.length > 0 ? { health } : {}) },
    () => {
      if (differences.length === 0 && health.length === 0) session.print('nothing would change');
      else printDifferences(differences, session.print);
      for (const line of health) session.print(line);
      for (const line of owned) session.print(ownedNotice(line));
    },
  );
}

/** For a change that is not one of records. @param effect for instance "would create the zone shop.example" */
export async function showEffect(session: Session, value: object, effect: string): Promise<void> {
  await show(session, { dryRun: true, ...value }, () => session.print(effect));
}
