// `zonestead keys mint` and `update`
import { keyBody, keyChangeBody } from '#contract/app-key.ts';
import { createAppKey, updateAppKey } from '#contract/operations/keys.ts';
import { printFields, show } from '../output.ts';
import { describeRestCommand } from '../rest/command.ts';
import type { Session } from '../rest/session.ts';
import { TEAM_OPTION, type TeamOption, teamOf } from '../rest/team.ts';
import { parseTerms, RIGHTS_CHANGE_OPTIONS, RIGHTS_OPTIONS, sendTerms } from '../terms.ts';
import { keyIdOf, printMinted } from './minted.ts';
import { KEY_ID, keyFields, type MintGiven, TSIG_OPTIONS } from './options.ts';

type MintOptions = MintGiven & TeamOption;

export const mint = describeRestCommand({
  name: 'mint',
  describe: 'create an API key for an app of a team, and print it once',
  options: [
    TEAM_OPTION,
    { flags: '--name <name>', describe: 'purpose of the key', isRequired: true },
    ...RIGHTS_OPTIONS,
    ...TSIG_OPTIONS,
  ],
  hint: 'An administrator creates the key of a name server: "zonestead admin keys mint --node".',
  examples: [
    'zonestead keys mint --name ci',
    "zonestead keys mint --name certbot --only-name '_acme-challenge.*' --only-type TXT",
  ],
  run: (session, _args, options: MintOptions) => mintKey(session, options),
});

export const update = describeRestCommand({
  name: 'update',
  describe: 'change the name, the rights, the restrictions or the end of an API key',
  arguments: [KEY_ID],
  options: [TEAM_OPTION, { flags: '--name <name>', describe: 'new purpose of the key' }, ...RIGHTS_CHANGE_OPTIONS],
  notes: 'Values without an option stay as they are. An option that can be repeated replaces the list.',
  run: (session, [keyId = ''], options: MintOptions) => updateKey(session, keyIdOf(keyId), options),
});

/** @throws Error if an option is wrong, and if the service refuses */
async function mintKey(session: Session, { team: given, ...options }: MintOptions): Promise<void> {
  const { client, signal, print } = session;
  const body = parseTerms(keyBody, keyFields(options));
  const team = await teamOf(session, given);
  const minted = await sendTerms(() => client.call(createAppKey, { params: { teamId: team.id }, body }, { signal }));
  await show(session, minted, () => printMinted({ ...minted, text: minted.secret }, team, print));
}

/** @throws Error also if nothing changes */
async function updateKey(session: Session, keyId: string, { team: given, ...options }: MintOptions): Promise<void> {
  const { client, signal, print } = session;
  const body = parseTerms(keyChangeBody, keyFields(options));
  if (Object.keys(body).length === 0) {
    throw new Error('nothing to change; "zonestead keys update --help" lists the options');
  }
  const { id: teamId } = await teamOf(session, given);
  const key = await sendTerms(() => client.call(updateAppKey, { params: { teamId, keyId }, body }, { signal }));
  await show(session, key, () => printFields(key, print));
}
