// `zonestead changes undo`: records become as they were before some changes.
import { undoChanges as undoOperation } from '#contract/operations/undo.ts';
import { DRY_RUN_OPTION, type DryRunOption, YES_OPTION, type YesOption } from '../options.ts';
import { describeRestCommand, ZONE } from '../rest/command.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { sendUndo } from '../rest/undo.ts';

interface Selection {
  request?: string;
  key?: string;
  since?: string;
}

type UndoOptions = Selection & DryRunOption & YesOption;

export const undo = describeRestCommand({
  name: 'undo',
  describe: 'undo changes of records: the records become as they were before',
  arguments: [ZONE, { usage: '[changeIds...]', describe: 'ids of changes, as "changes list" prints them' }],
  options: [
    { flags: '--request <requestId>', describe: 'undo all changes of a request' },
    { flags: '--key <keyId>', describe: 'undo all changes of an API key since a time' },
    { flags: '--since <time>', describe: 'time in ISO 8601 for --key, for instance 2026-11-21T10:31:00Z' },
    YES_OPTION,
    DRY_RUN_OPTION,
  ],
  waits: true,
  notes:
    'If another change of the same records came later, or an owner has them, the service refuses and changes nothing.',
  examples: [
    'zonestead changes undo shop.example 4711 4712 --dry-run',
    'zonestead changes undo shop.example --request req-7f3a',
  ],
  run: (session, [zone = '', ...ids], options: UndoOptions) => undoChanges(session, zone, ids, options),
});

/** @throws Error unless exactly one kind of changes is named, and if the service refuses */
async function undoChanges(
  session: Session,
  nameOrId: string,
  ids: readonly string[],
  options: UndoOptions,
): Promise<void> {
  const { client, signal } = session;
  const zone = await zoneOf(session, nameOrId);
  const selection = selectionOf(ids, options);
  await sendUndo(session, zone.zoneName, options, (dryRun) =>
    client.call(undoOperation, { params: { id: zone.id }, body: { ...selection, dryRun } }, { signal }),
  );
  if (!options.dryRun) await session.served?.(zone.id);
}

function selectionOf(ids: readonly string[], { request, key, since }: Selection) {
  const wrong = ids.find((id) => !/^[0-9]{1,15}$/.test(id));
  if (wrong !== undefined)
    throw new Error(`${wrong} is not the id of a change; "zonestead changes list" prints the ids`);
  const named = [ids.length > 0, request !== undefined, key !== undefined].filter(Boolean).length;
  if (named !== 1 || (key === undefined) !== (since === undefined)) {
    throw new Error('name the changes to undo: ids of changes, or --request, or --key with --since');
  }
  if (request !== undefined) return { requestId: request };
  return key === undefined ? { changes: ids.map(Number) } : { keyId: key, since };
}
