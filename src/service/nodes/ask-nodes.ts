// Asks the name servers for zones, private keys and endings that a database lacks, and waits for the answers. For
// commands of the administrator.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '#store/database.ts';
import { countSentParts, openSalvage, type SentEnd, salvageSenders, sentEnds } from '#store/salvage.ts';

/** A node that sends nothing for this long is not awaited. */
const SILENT_MS = 30_000;
/** The request ends after so many seconds even if the command does not end it. */
const REQUEST_SECONDS = 900;
const POLL_MS = 250;

/**
 * Waits until each living node has answered for each zone and for the endings, or no node sends anything for 30 s.
 * @returns the last part of each answer. The caller ends the request.
 * @throws Error if no name server reports; the reason of the signal
 */
export async function askNodes(
  db: Db,
  { zones, endings = false, keysOnly = false }: { zones: readonly string[]; endings?: boolean; keysOnly?: boolean },
  signal: AbortSignal,
): Promise<readonly SentEnd[]> {
  const senders = await salvageSenders(db);
  if (senders.length === 0) throw new Error('no name server reports now, so none can send its zones');
  await openSalvage(db, { token: randomBytes(8).toString('hex'), zones, seconds: REQUEST_SECONDS, endings, keysOnly });
  const expected = senders.length * (zones.length + (endings ? 1 : 0));
  let [count, heardAt] = [0, Date.now()];
  for (;;) {
    const ends = await sentEnds(db);
    if (ends.length >= expected || Date.now() - heardAt > SILENT_MS) return ends;
    const sentCount = await countSentParts(db);
    if (sentCount !== count) [count, heardAt] = [sentCount, Date.now()];
    await sleep(POLL_MS, undefined, { signal });
  }
}
