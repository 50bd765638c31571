// The states of sign-ins that came back from the OpenID provider.
import type { Db } from './database.ts';
import { statement } from './statement.ts';

const insert = statement<{ one: number }>(
  'insert into used_sign_ins (digest, used_at) values ($1, $2) on conflict do nothing returning 1 as one',
);

/** @returns false if this state was used before, also in another process */
export async function useSignIn(db: Db, digest: Uint8Array, now: Date): Promise<boolean> {
  return (await insert(db, digest, now.toISOString())).length === 1;
}
