// The endings that name servers remember: ids and times alone, each with a seal, so that a node cannot invent one.
import { endingsAfter } from '#store/endings.ts';
import { readSealSecret } from '#store/salvage.ts';
import type { ServiceContext } from '../context.ts';
import { type SealedEnding, sealEnding } from './seal.ts';

/** MAX_ENDINGS of the contract. */
const PAGE = 1_000;

/** A page of endings. @param after the number `last` of the page before; 0: from the beginning */
export async function readEndings(
  { db }: Pick<ServiceContext, 'db'>,
  after: number,
): Promise<{ endings: SealedEnding[]; last: string | null }> {
  const service = await readSealSecret(db);
  if (service === null) return { endings: [], last: null };
  const rows = await endingsAfter(db, after, PAGE);
  const endings = rows.map(({ id: _id, ...ending }) => ({ ...ending, seal: sealEnding(service.secret, ending) }));
  return { endings, last: rows.at(-1)?.id ?? null };
}
