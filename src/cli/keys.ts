// `zonestead keys mint`: the only place, until there is a console, where keys come from.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { mintTeamKey } from '../zones/bootstrap.ts';

const level = z.enum(['none', 'read', 'write'], { error: 'must be none, read or write' });
const options = z.object({ team: z.string().min(1), name: z.string().min(1), records: level, manageZones: level });

/** Prints the key's text on a line of its own, after a line that says whose it is. @throws when an option is wrong */
export async function runKeysMint(
  config: { DATABASE_URL: string },
  given: unknown,
  print: (line: string) => void,
): Promise<void> {
  const parsed = options.safeParse(given);
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map((issue) => `--${issue.path.join('.')} ${issue.message}`).join('; '));
  }
  const { team, ...key } = parsed.data;
  const minted = await mintTeamKey(
    config.DATABASE_URL,
    team,
    { ...key, zoneWrites: null, recordWrites: null },
    randomBytes,
  );
  print(`key ${minted.keyId} of team ${team} (${minted.teamId}); shown this once:`);
  print(minted.text);
}
