// `zonestead owners`: the list of owners in a zone with their records, and the release of an owner.
import { readOwnerPages } from '#client/lists.ts';
import { applyRecords } from '#contract/operations/owners.ts';
import type { OwnedSet } from '#contract/owners.ts';
import { confirm } from '../confirm.ts';
import type { DryRunOption, YesOption } from '../options.ts';
import { show } from '../output.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { table } from '../table.ts';

const HEADING = ['OWNER', 'NAME', 'TYPE', 'STATE', 'VALUES'];

/** @throws Error if the API key cannot see the zone */
export async function listOwners(session: Session, nameOrId: string, prefix: string | undefined): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, nameOrId);
  const owners: OwnedSet[] = [];
  for await (const page of readOwnerPages(client, id, { prefix }, { signal })) owners.push(...page);
  await show(session, { owners }, () => {
    if (owners.length === 0) print('no owner has records in this zone');
    else table(HEADING, owners.map(rowOf), print);
  });
}

function rowOf({ owner, name, type, records, drifted, share, expires }: OwnedSet): string[] {
  const states = [drifted ? 'changed by others' : 'as applied', ...(share ? ['shared'] : [])];
  if (expires !== null) states.push(`until ${expires}`);
  return [owner, name, type, states.join(', '), records.map(({ content }) => content).join(' ') || '-'];
}

/** @throws Error if the release is not confirmed or is refused */
export async function releaseOwner(
  session: Session,
  nameOrId: string,
  owner: string,
  options: YesOption & DryRunOption,
): Promise<void> {
  const { client, signal, print } = session;
  const { id, zoneName } = await zoneOf(session, nameOrId);
  if (options.dryRun) {
    const sets: OwnedSet[] = [];
    for await (const page of readOwnerPages(client, id, { prefix: owner }, { signal })) sets.push(...page);
    const own = sets.filter((set) => set.owner === owner);
    return show(session, { dryRun: true, owners: own }, () => {
      print(`would release ${own.length} record sets of ${owner}`);
      if (own.length > 0) table(HEADING, own.map(rowOf), print);
    });
  }
  await confirm(`this releases everything that ${owner} has in ${zoneName}`, options, signal);
  const body = { atomic: true, sets: [{ owner, release: true }] };
  const {
    results: [result],
  } = await client.call(applyRecords, { params: { id }, body }, { signal });
  const changed = result?.status === 200 && 'changed' in result && result.changed;
  await show(session, { owner, changed }, () =>
    print(changed ? `released the records of ${owner}` : `${owner} had no records to delete in this zone`),
  );
}
