// `zonestead keys list`, `show` and `revoke`
import { judgeLifetime } from '#base/lifetime.ts';
import { getAppKey, listAppKeys, revokeAppKey } from '#contract/operations/keys.ts';
import { DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { printFields, show } from '../output.ts';
import { describeRestCommand } from '../rest/command.ts';
import { showEffect } from '../rest/preview.ts';
import type { Session } from '../rest/session.ts';
import { TEAM_OPTION, type TeamOption, teamOf } from '../rest/team.ts';
import { formatMinute, table } from '../table.ts';
import { keyIdOf } from './minted.ts';
import { KEY_ID } from './options.ts';

export const list = describeRestCommand({
  name: 'list',
  describe: 'list the API keys of a team, without their secrets',
  options: [TEAM_OPTION],
  run: (session, _args, { team }: TeamOption) => listKeys(session, team),
});

export const showCommand = describeRestCommand({
  name: 'show',
  describe: 'show an API key, without its secret',
  arguments: [KEY_ID],
  options: [TEAM_OPTION],
  run: (session, [keyId = ''], { team }: TeamOption) => showKey(session, keyIdOf(keyId), team),
});

export const revoke = describeRestCommand({
  name: 'revoke',
  describe: 'revoke an API key permanently',
  arguments: [KEY_ID],
  options: [TEAM_OPTION, DRY_RUN_OPTION],
  run: (session, [keyId = ''], options: TeamOption & DryRunOption) => revokeKey(session, keyIdOf(keyId), options),
});

async function listKeys(session: Session, team: string | undefined): Promise<void> {
  const { client, signal, print } = session;
  const { id: teamId } = await teamOf(session, team);
  const { keys } = await client.call(listAppKeys, { params: { teamId } }, { signal });
  const now = new Date();
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.records,
    key.manageZones,
    key.clusters,
    judgeLifetime(key, now),
    formatMinute(key.lastUsedAt),
    key.mintedBy?.email ?? '-',
  ]);
  await show(session, { keys }, () =>
    table(['ID', 'NAME', 'RECORDS', 'ZONES', 'CLUSTERS', 'STATE', 'LAST USE', 'CREATED BY'], rows, print),
  );
}

async function showKey(session: Session, keyId: string, team: string | undefined): Promise<void> {
  const { client, signal, print } = session;
  const { id: teamId } = await teamOf(session, team);
  const key = await client.call(getAppKey, { params: { teamId, keyId } }, { signal });
  await show(session, key, () => printFields(key, print));
}

/** @throws Error if the team has no such key */
async function revokeKey(session: Session, keyId: string, options: TeamOption & DryRunOption): Promise<void> {
  const { client, signal, print } = session;
  const { id: teamId, name: team } = await teamOf(session, options.team);
  const params = { teamId, keyId };
  if (options.dryRun) {
    const key = await client.call(getAppKey, { params }, { signal });
    return showEffect(session, { revoke: keyId }, `would revoke the key ${keyId} (${key.name}) of team ${team}`);
  }
  await client.call(revokeAppKey, { params }, { signal });
  await show(session, { revoked: keyId }, () => print(`key ${keyId} is revoked`));
}
