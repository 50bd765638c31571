// `zonestead owners`: the list of owners in a zone with their records, and the release of an owner.
import type { OwnedSet } from '#client/client.ts';
import { show } from '../output.ts';
import { table } from '../table.ts';
import { type Session, zoneOf } from './session.ts';

/** @throws Error if the API key cannot see the zone */
export async function listOwners(session: Session, nameOrId: string, prefix: string | undefined): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, nameOrId);
  const owners: OwnedSet[] = [];
  for await (const page of client.owners.pages(id, { prefix }, { signal })) owners.push(...page);
  await show(session, { owners }, () => {
    if (owners.length === 0) print('no owner has records in this zone');
    else table(['OWNER', 'NAME', 'TYPE', 'STATE', 'VALUES'], owners.map(rowOf), print);
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
  { yes = false }: { yes?: boolean },
): Promise<void> {
  if (!yes) throw new Error(`this releases everything that ${owner} has in the zone; confirm with --yes`);
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, nameOrId);
  const [result] = await client.owners.apply(id, { atomic: true, sets: [{ owner, release: true }] }, { signal });
  const changed = result?.status === 200 && 'changed' in result && result.changed;
  await show(session, { owner, changed }, () =>
    print(changed ? `released the records of ${owner}` : `${owner} had no records to delete in this zone`),
  );
}
