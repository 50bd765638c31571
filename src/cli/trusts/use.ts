// `zonestead trusts test` and `accept`
import { acceptTrustSubject, testTrusts } from '#contract/operations/trusts.ts';
import { readInput } from '../input.ts';
import { show } from '../output.ts';
import { describeRestCommand } from '../rest/command.ts';
import type { Session } from '../rest/session.ts';
import { TEAM_OPTION, type TeamOption, teamOf } from '../rest/team.ts';
import { showExplanation } from './explanation.ts';
import { TRUST_ID } from './read.ts';

export const test = describeRestCommand({
  name: 'test',
  describe: 'say which trust of a team accepts a token, and why the others do not',
  arguments: [{ usage: '<file>', describe: 'file with the token, - for standard input' }],
  options: [TEAM_OPTION],
  notes:
    'The exit code is 1 if no trust accepts the token. The token is not an argument, because other users could see it.',
  run: (session, [path = ''], { team }: TeamOption) => testToken(session, path, team),
});

export const accept = describeRestCommand({
  name: 'accept',
  describe: 'accept a service account that was deleted and created again',
  arguments: [TRUST_ID, { usage: '<subject>', describe: 'subject of its tokens, as "trusts show" prints it' }],
  options: [
    TEAM_OPTION,
    { flags: '--uid <uid>', describe: 'UID of the service account; without it, the UID of its next token is accepted' },
  ],
  run: (session, [trustId = '', subject = ''], options: TeamOption & { uid?: string }) =>
    acceptSubject(session, { trustId, subject }, options),
});

/** @returns the exit code: 1 if no trust accepts the token */
async function testToken(session: Session, path: string, team: string | undefined): Promise<number> {
  const { client, signal } = session;
  const token = (await readInput(path, signal)).trim();
  const { id: teamId } = await teamOf(session, team);
  const found = await client.call(testTrusts, { params: { teamId }, body: { token } }, { signal });
  return showExplanation(session, found);
}

/** @throws Error if the team has no such trust, or the trust no such subject */
async function acceptSubject(
  session: Session,
  { trustId, subject }: { trustId: string; subject: string },
  { team, uid }: TeamOption & { uid?: string },
): Promise<void> {
  const { client, signal, print } = session;
  const { id: teamId } = await teamOf(session, team);
  const body = { subject, uid: uid ?? null };
  await client.call(acceptTrustSubject, { params: { teamId, trustId }, body }, { signal });
  const of = uid === undefined ? 'its next token' : `the UID ${uid}`;
  await show(session, { trust: trustId, ...body }, () => print(`trust ${trustId} accepts ${subject} with ${of}`));
}
