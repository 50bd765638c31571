// The administrator's command that adds a person with a key.
import { insertAccountChange } from '#store/account-changes.ts';
import { withDatabase } from '#store/admin.ts';
import type { Tx } from '#store/database.ts';
import { findMember, insertMember, insertUser, type Role, setRole, userByEmail } from '#store/people.ts';
import { COMMAND_LINE, findTeam, type NamedTeam } from '../administrator.ts';
import { mintPersonKey } from '../keys/keys.ts';
import { readAddress } from './address.ts';
import { endInvitations } from './members.ts';

type Random = (bytes: number) => Buffer;

interface NewPerson {
  email: string;
  /** The name of a new person. An existing person keeps their name. */
  name: string;
  /** Name of the key. */
  keyName: string;
  /** The team that the person joins. */
  team: (NamedTeam & { role: Role }) | null;
}

/**
 * Creates a person, unless one with this address exists, and a new key for the person. Adds the person to `team` if it
 * is set.
 */
export async function adminAddPerson(
  url: string,
  { email, name, keyName, team }: NewPerson,
  random: Random,
  now: Date,
): Promise<{ userId: string; isNew: boolean; keyId: string; text: string; teamId: string | null }> {
  return withDatabase(url, (db) =>
    db.transaction(async (tx) => {
      const address = readAddress(email);
      if (address === null) throw new Error(`${email} is not an address that a person of this service can have`);
      const existingUser = await userByEmail(tx, address);
      const user = existingUser ?? { id: `user_${random(6).toString('hex')}`, email: address, name };
      const record = (action: 'user.create' | 'key.mint', subject: string, after: object) =>
        insertAccountChange(tx, { teamId: null, action, subject, before: null, after, at: now, ...COMMAND_LINE });
      if (!existingUser) {
        await insertUser(tx, user);
        await record('user.create', user.id, { email: user.email, name });
      }
      const teamId = team === null ? null : await joinTeam(tx, user.id, team, random, now);
      const { id: keyId, text } = await mintPersonKey(tx, { userId: user.id, name: keyName }, random);
      await record('key.mint', keyId, { userId: user.id, name: keyName });
      return { userId: user.id, isNew: existingUser === null, keyId, text, teamId };
    }),
  );
}

async function joinTeam(
  tx: Tx,
  userId: string,
  { role, ...namedTeam }: NamedTeam & { role: Role },
  random: Random,
  now: Date,
): Promise<string> {
  const { id: teamId } = await findTeam(tx, namedTeam, random);
  const member = await findMember(tx, teamId, userId);
  if (member?.role === role) return teamId;
  if (member) await setRole(tx, teamId, userId, role);
  else await insertMember(tx, { teamId, userId, role, createdAt: now });
  const change = {
    action: member ? 'member.change' : 'member.add',
    subject: userId,
    before: member ? { role: member.role } : null,
    after: { role },
  } as const;
  const endedInvitations = member?.role === 'owner' ? await endInvitations({ tx, team: { id: teamId } }, userId) : [];
  for (const each of [change, ...endedInvitations])
    await insertAccountChange(tx, { ...each, teamId, at: now, ...COMMAND_LINE });
  return teamId;
}
