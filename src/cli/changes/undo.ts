// `zonestead changes undo` and `zonestead zones restore`: records become as they were, and deleted zones come back.
import { readZones } from '#client/lists.ts';
import * as undoApi from '#contract/operations/undo.ts';
import type { UndoAnswer } from '#contract/undo.ts';
import { confirm } from '../confirm.ts';
import { deletedIn } from '../difference.ts';
import type { DryRunOption, YesOption } from '../options.ts';
import { show } from '../output.ts';
import { printDifferences } from '../rest/preview.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { table } from '../table.ts';

interface Selection {
  request?: string;
  key?: string;
  since?: string;
}

/** @throws Error unless exactly one kind of changes is named, and if the service refuses */
export async function undoChanges(
  session: Session,
  nameOrId: string,
  ids: readonly string[],
  options: Selection & DryRunOption & YesOption,
): Promise<void> {
  const { client, signal } = session;
  const zone = await zoneOf(session, nameOrId);
  const selection = selectionOf(ids, options);
  await change(session, zone.zoneName, options, (dryRun) =>
    client.call(undoApi.undoChanges, { params: { id: zone.id }, body: { ...selection, dryRun } }, { signal }),
  );
}

/** The records of a zone as they were at a time. @throws Error if the service refuses */
export async function restoreRecords(
  session: Session,
  nameOrId: string,
  at: string,
  options: DryRunOption & YesOption,
): Promise<void> {
  const { client, signal } = session;
  const zone = await zoneOf(session, nameOrId);
  await change(session, zone.zoneName, options, (dryRun) =>
    client.call(undoApi.restoreRecords, { params: { id: zone.id }, body: { at, dryRun } }, { signal }),
  );
}

/** The deleted zones that can be brought back, and until when. */
export async function listDeletedZones(session: Session): Promise<void> {
  const { zones } = await session.client.call(undoApi.listDeletedZones, {}, { signal: session.signal });
  await show(session, { zones }, () =>
    table(
      ['ZONE', 'RECORDS', 'DELETED AT', 'UNTIL', 'OWNER', 'ID'],
      zones.map(({ zoneName, records, deletedAt, until, owner, zoneId }) => [
        zoneName,
        String(records),
        deletedAt,
        until,
        owner,
        zoneId,
      ]),
      session.print,
    ),
  );
}

/** Brings back a deleted zone. @throws Error if the zone exists, and if the service refuses */
export async function restoreZone(session: Session, name: string, { dryRun }: DryRunOption): Promise<void> {
  const { client, signal, print } = session;
  const [exists] = await readZones(client, { zoneName: name }, { signal });
  if (exists !== undefined) {
    throw new Error(`${name} exists; to make its records those of an earlier time, say which time with --at`);
  }
  const answer = await client.call(undoApi.restoreZone, { body: { zoneName: name, dryRun } }, { signal });
  if ('dryRun' in answer) {
    const { zoneName, deletedAt, until, records } = answer;
    const what = `${zoneName}, deleted at ${deletedAt}, would come back with ${inWords(records)}; this is possible until ${until}`;
    return show(session, answer, () => print(what));
  }
  const { zoneName, records } = answer;
  await show(session, answer, () => print(`${zoneName} is back with ${inWords(records)} and the same DNSSEC key`));
}

const inWords = (records: number) => (records === 1 ? '1 record' : `${records} records`);

/** Asks for a preview first, because only the preview tells how many records would be deleted. */
async function change(
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
