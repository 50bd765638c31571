// `zonestead trusts list`, `show` and `revoke`
import { getTrust, listTrustSubjects, listTrusts, revokeTrust } from '#contract/operations/trusts.ts';
import { DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { show } from '../output.ts';
import { describeRestCommand } from '../rest/command.ts';
import { showEffect } from '../rest/preview.ts';
import type { Session } from '../rest/session.ts';
import { TEAM_OPTION, type TeamOption, teamOf } from '../rest/team.ts';
import { table } from '../table.ts';
import { buildTrustCells, printTrust, TRUST_COLUMNS } from './print.ts';

export const TRUST_ID = { usage: '<trustId>', describe: 'id of the trust, as "trusts list" prints it' };

export const list = describeRestCommand({
  name: 'list',
  describe: 'list the trusts of a team',
  options: [TEAM_OPTION],
  run: (session, _args, { team }: TeamOption) => listAll(session, team),
});

export const showCommand = describeRestCommand({
  name: 'show',
  describe: 'show a trust, and the last use of each of its subjects',
  arguments: [TRUST_ID],
  options: [TEAM_OPTION],
  run: (session, [trustId = ''], { team }: TeamOption) => showTrust(session, trustId, team),
});

export const revoke = describeRestCommand({
  name: 'revoke',
  describe: 'revoke a trust permanently; its tokens are refused at once',
  arguments: [TRUST_ID],
  options: [TEAM_OPTION, DRY_RUN_OPTION],
  run: (session, [trustId = ''], options: TeamOption & DryRunOption) => revokeOne(session, trustId, options),
});

async function listAll(session: Session, team: string | undefined): Promise<void> {
  const { client, signal, print } = session;
  const { id: teamId } = await teamOf(session, team);
  const { trusts } = await client.call(listTrusts, { params: { teamId } }, { signal });
  const now = new Date();
  const rows = trusts.map((trust) => [trust.id, ...buildTrustCells(trust, now)]);
  await show(session, { trusts }, () => table(['ID', ...TRUST_COLUMNS], rows, print));
}

async function showTrust(session: Session, trustId: string, team: string | undefined): Promise<void> {
  const { client, signal, print } = session;
  const { id: teamId } = await teamOf(session, team);
  const params = { teamId, trustId };
  const trust = await client.call(getTrust, { params }, { signal });
  const { subjects: known } = await client.call(listTrustSubjects, { params }, { signal });
  await show(session, { ...trust, known }, () => printTrust(trust, known, print));
}

/** @throws Error if the team has no such trust */
async function revokeOne(session: Session, trustId: string, options: TeamOption & DryRunOption): Promise<void> {
  const { client, signal, print } = session;
  const { id: teamId, name: team } = await teamOf(session, options.team);
  const params = { teamId, trustId };
  if (options.dryRun) {
    const { name, subjects } = await client.call(getTrust, { params }, { signal });
    const effect = `would revoke the trust ${trustId} (${name}) of team ${team}, which ${subjects} subjects have used`;
    return showEffect(session, { revoke: trustId }, effect);
  }
  await client.call(revokeTrust, { params }, { signal });
  await show(session, { revoked: trustId }, () => print(`trust ${trustId} is revoked`));
}
