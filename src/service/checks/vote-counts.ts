// The votes of name servers about the addresses of a check, as people see them.
import type { CheckDefinition } from '#base/probes/definition.ts';
import { countVotesOf, type VoteCounts } from '#store/check-votes.ts';
import type { CheckRow } from '#store/checks.ts';
import type { Db } from '#store/database.ts';
import { writeProbeId } from './probe-id.ts';
import { isProbedType } from './targets.ts';
import { freshMs } from './vantage.ts';

/** By address. An address about which the name servers do not decide is not in it. */
export async function readVoteCounts(
  db: Db,
  { owner, name, definition: stored }: Pick<CheckRow, 'owner' | 'name' | 'definition'>,
): Promise<ReadonlyMap<string, VoteCounts>> {
  const definition = stored as CheckDefinition;
  if (!isProbedType(definition)) return new Map();
  const rows = await countVotesOf(db, owner, name, freshMs(definition.interval));
  // A vote about the definition before the last change does not count.
  const present = rows.filter(
    ({ address, probe }) => probe === writeProbeId({ owner, checkName: name, address }, definition),
  );
  return new Map(present.map(({ address, total, unhealthy }) => [address, { total, unhealthy }]));
}
