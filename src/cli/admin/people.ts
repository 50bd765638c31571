// `zonestead users list`, `suspend`, `resume`, `remove` and `link`: the people of the service in the database.
import {
  adminLinkPerson,
  adminListPeople,
  adminRemovePerson,
  adminResumePerson,
  adminSuspendPerson,
} from '#service/accounts/people-administration.ts';
import { type DryRunOption, sayer } from '../options.ts';
import { type Output, show } from '../output.ts';
import { table } from '../table.ts';

type Print = (line: string) => void;
type Config = { DATABASE_URL: string };
type Choice = DryRunOption & { email: string };

export async function runUsersList(config: Config, output: Output): Promise<void> {
  const users = await adminListPeople(config.DATABASE_URL);
  const rows = users.map(({ id, email, name, suspendedAt, teams, identities }) => [
    id,
    email,
    suspendedAt === null ? 'active' : 'suspended',
    identities.length === 0 ? '-' : identities.map(({ subject }) => subject).join(','),
    teams.length === 0 ? '-' : teams.map(({ team, role }) => `${team}:${role}`).join(','),
    name,
  ]);
  await show(output, { users }, () => table(['ID', 'EMAIL', 'STATE', 'SUBJECT', 'TEAMS', 'NAME'], rows, output.print));
}

/** @throws Error if there is no such user */
export async function runUsersSuspend(config: Config, options: Choice, print: Print): Promise<void> {
  const { email } = options;
  const isNew = await adminSuspendPerson(config.DATABASE_URL, email, new Date(), options);
  const words = 'sessions have ended, and no key is valid until "zonestead users resume"';
  sayer(print, options)(isNew ? `suspended ${email}: ${words}` : `${email} was suspended already`);
}

/** @throws Error if there is no such user */
export async function runUsersResume(config: Config, options: Choice, print: Print): Promise<void> {
  const { email } = options;
  const isNew = await adminResumePerson(config.DATABASE_URL, email, new Date(), options);
  sayer(
    print,
    options,
  )(isNew ? `resumed ${email}: the keys of the user are valid again` : `${email} was not suspended`);
}

/** @throws Error if there is no such user, a team would have no owner, or the user has zones */
export async function runUsersRemove(
  config: Config,
  options: Choice & { heir?: string; force?: boolean; revokeKeys?: boolean },
  print: Print,
): Promise<void> {
  const teams = await adminRemovePerson(config.DATABASE_URL, options, new Date());
  const words = teams.map(({ team, role }) => `${team} (${role})`).join(', ');
  sayer(print, options)(`removed ${options.email}, who was in ${teams.length === 0 ? 'no team' : words}`);
}

/** @throws Error if there is no such user */
export async function runUsersLink(
  config: Config,
  options: Choice & { issuer: string; subject: string },
  print: Print,
): Promise<void> {
  const { email, issuer, subject } = options;
  if (!/^https?:$/.test(URL.parse(issuer)?.protocol ?? '')) {
    throw new Error(
      `--issuer ${issuer} must be the address in the claim "iss", for instance https://login.example.net`,
    );
  }
  if (!/^[\x20-\x7e]{1,255}$/.test(subject)) throw new Error('--subject must have 1 to 255 ASCII characters');
  const before = await adminLinkPerson(config.DATABASE_URL, options, new Date());
  const replaced = before === null || before === subject ? '' : `, in place of ${JSON.stringify(before)}`;
  sayer(print, options)(`the account ${JSON.stringify(subject)} of ${issuer} belongs to ${email}${replaced}`);
}
