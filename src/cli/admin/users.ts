// `zonestead users add`: creates the first users of a service, and gives a user a new key.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { adminAddPerson } from '#service/accounts/add-person.ts';
import { parseOptions } from './keys.ts';

const options = z.object({
  email: z.email({ error: 'must be an e-mail address' }).max(254),
  name: z.string().min(1).max(64).optional(),
  keyName: z.string().min(1).max(64),
  team: z.string().min(1).max(64).optional(),
  createTeam: z.boolean().optional(),
  role: z.enum(['owner', 'member'], { error: 'must be owner or member' }),
});

/** Prints lines with the user and the team, and the key itself on the last line. @throws Error if an option is wrong */
export async function runUsersAdd(
  config: { DATABASE_URL: string },
  given: unknown,
  print: (line: string) => void,
): Promise<void> {
  const { email, name = email, keyName, team, createTeam, role } = parseOptions(options, given);
  const person = { email, name, keyName, team: team === undefined ? null : { team, createTeam, role } };
  const added = await adminAddPerson(config.DATABASE_URL, person, randomBytes, new Date());
  print(`${added.isNew ? 'new user' : 'existing user'} ${email} (${added.userId})`);
  if (added.teamId !== null) print(`${role} of team ${team} (${added.teamId})`);
  print(`key ${added.keyId}, shown only once:`);
  print(added.text);
}
