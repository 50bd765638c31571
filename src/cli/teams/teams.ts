// `zonestead teams …`: the teams of a person, over the REST API with the key of that person.
import * as teamApi from '#contract/operations/teams.ts';
import type { CommandGroup } from '../command.ts';
import { printFields, show } from '../output.ts';
import { describeRestCommand } from '../rest/command.ts';
import type { Session } from '../rest/session.ts';
import { NEEDS_PERSON, requirePerson, teamOf } from '../rest/team.ts';
import { formatMinute, table } from '../table.ts';

const TEAM = { usage: '<team>', describe: 'team by name or by id' };
const ONLY_TEAM = { usage: '[team]', describe: 'team by name or by id (default: your only team)' };
const NAME = { usage: '<name>', describe: 'name of the team, which no other team of the service has' };
const DEFAULT_LIMIT = 100;
/** The most changes of one page. */
const PAGE = 1_000;

const list = describeRestCommand({
  name: 'list',
  describe: 'list your teams with your role in each',
  run: listTeams,
});

const create = describeRestCommand({
  name: 'create',
  describe: 'create a team, whose first owner you are',
  arguments: [NAME],
  run: (session, [name = '']) => createTeam(session, name),
});

const showCommand = describeRestCommand({
  name: 'show',
  describe: 'show a team with its quota, and your role in it',
  arguments: [ONLY_TEAM],
  run: (session, [team]) => showTeam(session, team),
});

const rename = describeRestCommand({
  name: 'rename',
  describe: 'give a team another name, as one of its owners',
  arguments: [TEAM, NAME],
  run: (session, [team = '', name = '']) => renameTeam(session, team, name),
});

const history = describeRestCommand({
  name: 'history',
  describe: 'list the changes of a team, its members, invitations, keys and trusts, newest first',
  arguments: [ONLY_TEAM],
  options: [{ flags: '--limit <number>', describe: 'list at most this many changes (default: 100)', value: 'number' }],
  run: (session, [team], { limit }: { limit?: number }) => listHistory(session, team, limit),
});

export const command: CommandGroup = {
  name: 'teams',
  describe: `manage your teams (over the REST API, ${NEEDS_PERSON})`,
  examples: ['zonestead teams list', 'zonestead teams create platform', 'zonestead teams show platform'],
  commands: [list, create, showCommand, rename, history],
};

async function listTeams(session: Session): Promise<void> {
  const { client, signal, print } = session;
  await requirePerson(session);
  const { teams } = await client.call(teamApi.listTeams, {}, { signal });
  const rows = teams.map(({ id, role, createdAt, name }) => [id, role, formatMinute(createdAt), name]);
  await show(session, { teams }, () => table(['ID', 'ROLE', 'CREATED', 'NAME'], rows, print));
}

async function createTeam(session: Session, name: string): Promise<void> {
  const { client, signal, print } = session;
  await requirePerson(session);
  const team = await client.call(teamApi.createTeam, { body: { name } }, { signal });
  await show(session, team, () => print(`team ${team.name} (${team.id}) is created, and you are its ${team.role}`));
}

async function showTeam(session: Session, given: string | undefined): Promise<void> {
  const { client, signal, print } = session;
  const { id: teamId } = await teamOf(session, given);
  const { quota, ...team } = await client.call(teamApi.getTeam, { params: { teamId } }, { signal });
  await show(session, { ...team, quota }, () => {
    printFields(team, print);
    print('');
    const rows = Object.entries(quota).map(([kind, { used, limit }]) => [kind, String(used), String(limit)]);
    table(['QUOTA', 'USED', 'LIMIT'], rows, print);
  });
}

async function renameTeam(session: Session, given: string, name: string): Promise<void> {
  const { client, signal, print } = session;
  const { id: teamId, name: before } = await teamOf(session, given);
  const team = await client.call(teamApi.renameTeam, { params: { teamId }, body: { name } }, { signal });
  await show(session, team, () => print(`team ${before} (${team.id}) has the name ${team.name} now`));
}

async function listHistory(session: Session, given: string | undefined, limit = DEFAULT_LIMIT): Promise<void> {
  const { client, signal, print } = session;
  const { id: teamId } = await teamOf(session, given);
  const changes: Awaited<ReturnType<typeof readPage>>['changes'] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(Math.min(PAGE, limit - changes.length), cursor);
    changes.push(...page.changes);
    cursor = page.next;
  } while (cursor !== undefined && changes.length < limit);
  const rows = changes.map(({ id, at, keyId, action, subject }) => [id, at, keyId ?? '-', action, subject]);
  await show(session, { changes }, () => table(['ID', 'TIME', 'KEY', 'CHANGE', 'OF'], rows, print));

  function readPage(length: number, after: string | undefined) {
    const query = { limit: length, ...(after === undefined ? {} : { cursor: after }) };
    return client.call(teamApi.listTeamChanges, { params: { teamId }, query }, { signal });
  }
}
