// The common part of the undo of changes and the restore of records: a preview, a question and the answer.
import type { UndoAnswer } from '#contract/undo.ts';
import { confirm } from '../confirm.ts';
import { deletedIn } from '../difference.ts';
import type { DryRunOption, YesOption } from '../options.ts';
import { show } from '../output.ts';
import { printDifferences } from './preview.ts';
import type { Session } from './session.ts';

/** Asks for a preview first, because only the preview tells how many records would be deleted. */
export async function sendUndo(
  session: Session,
  zoneName: string,
  options: DryRunOption & YesOption,
  send: (dryRun: boolean) => Promise<UndoAnswer>,
): Promise<void> {
  const preview = await send(true);
  if (options.dryRun) return tell(session, preview, 'nothing would change');
  const deleted = deletedIn(preview.differences);
  if (preview.conflicts.length === 0 && deleted > 1) {
    await confirm(`this deletes ${deleted} records of ${zoneName}`, options, session.signal);
  }
  await tell(session, await send(false), 'the records are as they were already');
}

async function tell(session: Session, answer: UndoAnswer, nothing: string): Promise<void> {
  const { differences, conflicts, owned, total } = answer;
  await show(session, answer, () => {
    printDifferences(differences, session.print);
    const more = total.differences - differences.length;
    if (more > 0) session.print(`and ${more} more names and types`);
    for (const { name, type, message } of owned) session.print(`not restored: ${name} ${type}: ${message}`);
    for (const { name, type, message } of conflicts) session.print(`conflict: ${name} ${type}: ${message}`);
    if (differences.length === 0 && conflicts.length === 0) session.print(nothing);
  });
}
