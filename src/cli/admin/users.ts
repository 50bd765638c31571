// `zonestead admin users …`: the people of the service in the database.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { role } from '#contract/people.ts';
import type { CommandGroup } from '../command.ts';
import { CREATE_TEAM_OPTION, DRY_RUN_OPTION, type DryRunOption, sayer } from '../options.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';
import { parseOptions } from '../parse-options.ts';
import { table } from '../table.ts';
import { type Administration, describeAdminCommand, outputOf } from './command.ts';

const load = () => import('#service/accounts/people-administration.ts');

const add = describeAdminCommand({
  name: 'add',
  describe: 'create a user, or look one up by email, and print a new API key once',
  options: [
    { flags: '--email <address>', describe: 'email address of the user', isRequired: true },
    { flags: '--name <name>', describe: 'name of the user (default: the email address)' },
    { flags: '--key-name <name>', describe: 'purpose of the key', default: 'command line' },
    {
      flags: '--team <team>',
      describe: 'team that the user joins, by name or by id ("admin teams list")',
    },
    CREATE_TEAM_OPTION,
    { flags: '--role <role>', describe: 'role in that team: owner or member', default: 'owner' },
  ],
  run: (administration, _args, options: object) => addUser(administration, options),
});

type Chosen = DryRunOption & { email: string };
type RemoveOptions = Chosen & { heir?: string; force?: boolean; revokeKeys?: boolean };
type LinkOptions = Chosen & { issuer: string; subject: string };
const EMAIL_OPTION = { flags: '--email <address>', describe: 'email address of the user', isRequired: true };

const list = describeAdminCommand({
  name: 'list',
  describe: 'list the users with their state, teams and accounts at the OpenID provider',
  options: [OUTPUT_OPTION],
  run: (administration, _args, options: OutputOption) => listUsers(administration, options),
});

const suspend = describeAdminCommand({
  name: 'suspend',
  describe: 'end all sessions of a user, and accept neither keys nor sign-ins until "admin users resume"',
  options: [EMAIL_OPTION, DRY_RUN_OPTION],
  run: (administration, _args, options: Chosen) => suspendUser(administration, options),
});

const resume = describeAdminCommand({
  name: 'resume',
  describe: 'accept the keys and sign-ins of a suspended user again',
  options: [EMAIL_OPTION, DRY_RUN_OPTION],
  run: (administration, _args, options: Chosen) => resumeUser(administration, options),
});

const remove = describeAdminCommand({
  name: 'remove',
  describe: 'end the keys, sessions, memberships and accounts of a user; the address becomes free',
  options: [
    EMAIL_OPTION,
    { flags: '--heir <address>', describe: 'user who becomes owner of the teams that would have no owner' },
    { flags: '--force', describe: 'leave such teams without an owner' },
    { flags: '--revoke-keys', describe: 'revoke the app keys and trusts that the user created in teams too' },
    DRY_RUN_OPTION,
  ],
  run: (administration, _args, options: RemoveOptions) => removeUser(administration, options),
});

const link = describeAdminCommand({
  name: 'link',
  describe: 'give a user an account at the OpenID provider, in place of another one',
  options: [
    EMAIL_OPTION,
    { flags: '--issuer <address>', describe: 'address of the provider, as ZONESTEAD_OIDC_ISSUER', isRequired: true },
    { flags: '--subject <subject>', describe: 'the claim "sub" of the account', isRequired: true },
    DRY_RUN_OPTION,
  ],
  run: (administration, _args, options: LinkOptions) => linkUser(administration, options),
});

export const users: CommandGroup = {
  name: 'users',
  describe: 'create, list, suspend and remove the users of the service',
  commands: [add, list, suspend, resume, remove, link],
};

const addOptions = z.object({
  email: z.email({ error: 'must be an e-mail address' }).max(254),
  name: z.string().min(1).max(64).optional(),
  keyName: z.string().min(1).max(64),
  team: z.string().min(1).max(64).optional(),
  createTeam: z.boolean().optional(),
  role,
});

/** Prints lines with the user and the team, and the key itself on the last line. @throws Error if an option is wrong */
async function addUser({ url, print }: Administration, given: object): Promise<void> {
  const { email, name = email, keyName, team, createTeam, role: wanted } = parseOptions(addOptions, given);
  const person = { email, name, keyName, team: team === undefined ? null : { team, createTeam, role: wanted } };
  const { adminAddPerson } = await import('#service/accounts/add-person.ts');
  const added = await adminAddPerson(url, person, randomBytes, new Date());
  print(`${added.isNew ? 'new user' : 'existing user'} ${email} (${added.userId})`);
  if (added.teamId !== null) print(`${wanted} of team ${team} (${added.teamId})`);
  print(`key ${added.keyId}, shown only once:`);
  print(added.text);
}

async function listUsers(administration: Administration, options: OutputOption): Promise<void> {
  const { adminListPeople } = await load();
  const listed = await adminListPeople(administration.url);
  const rows = listed.map(({ id, email, name, suspendedAt, teams, identities }) => [
    id,
    email,
    suspendedAt === null ? 'active' : 'suspended',
    identities.length === 0 ? '-' : identities.map(({ subject }) => subject).join(','),
    teams.length === 0 ? '-' : teams.map(({ team, role }) => `${team}:${role}`).join(','),
    name,
  ]);
  await show(outputOf(administration, options), { users: listed }, () =>
    table(['ID', 'EMAIL', 'STATE', 'SUBJECT', 'TEAMS', 'NAME'], rows, administration.print),
  );
}

/** @throws Error if the user does not exist */
async function suspendUser({ url, print }: Administration, options: Chosen): Promise<void> {
  const { adminSuspendPerson } = await load();
  const { email } = options;
  const isNew = await adminSuspendPerson(url, email, new Date(), options);
  const words = 'sessions have ended, and no key is valid until "zonestead admin users resume"';
  sayer(print, options)(isNew ? `suspended ${email}: ${words}` : `${email} was suspended already`);
}

/** @throws Error if the user does not exist */
async function resumeUser({ url, print }: Administration, options: Chosen): Promise<void> {
  const { adminResumePerson } = await load();
  const { email } = options;
  const isNew = await adminResumePerson(url, email, new Date(), options);
  sayer(
    print,
    options,
  )(isNew ? `resumed ${email}: the keys of the user are valid again` : `${email} was not suspended`);
}

/** @throws Error if the user does not exist or has zones, or if a team would have no owner */
async function removeUser({ url, print }: Administration, options: RemoveOptions): Promise<void> {
  const { adminRemovePerson } = await load();
  const teams = await adminRemovePerson(url, options, new Date());
  const words = teams.map(({ team, role }) => `${team} (${role})`).join(', ');
  sayer(print, options)(`removed ${options.email}, who was in ${teams.length === 0 ? 'no team' : words}`);
}

/** @throws Error if the user does not exist */
async function linkUser({ url, print }: Administration, options: LinkOptions): Promise<void> {
  const { adminLinkPerson } = await load();
  const { email, issuer, subject } = options;
  if (!/^https?:$/.test(URL.parse(issuer)?.protocol ?? '')) {
    throw new Error(
      `--issuer ${issuer} must be the address in the claim "iss", for instance https://login.example.net`,
    );
  }
  if (!/^[\x20-\x7e]{1,255}$/.test(subject)) throw new Error('--subject must have 1 to 255 ASCII characters');
  const before = await adminLinkPerson(url, options, new Date());
  const replaced = before === null || before === subject ? '' : `, in place of ${JSON.stringify(before)}`;
  sayer(print, options)(`the account ${JSON.stringify(subject)} of ${issuer} belongs to ${email}${replaced}`);
}
