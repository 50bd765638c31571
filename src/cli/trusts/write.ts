// `zonestead trusts create` and `update`
import * as trustApi from '#contract/operations/trusts.ts';
import { trustBody, trustChangeBody } from '#contract/trust.ts';
import { printFields, show } from '../output.ts';
import { describeRestCommand } from '../rest/command.ts';
import type { Session } from '../rest/session.ts';
import { TEAM_OPTION, type TeamOption, teamOf } from '../rest/team.ts';
import { parseTerms, RIGHTS_CHANGE_OPTIONS, RIGHTS_OPTIONS, sendTerms } from '../terms.ts';
import { TRUST_ID } from './read.ts';
import {
  AUDIENCE,
  ISSUER,
  KEY_OPTIONS,
  MATCH,
  MAX_TOKEN_AGE,
  NAME,
  PIN_SUBJECTS,
  TEMPLATES,
  type TrustGiven,
  trustFields,
} from './terms.ts';

type Options = TrustGiven & TeamOption;

export const create = describeRestCommand({
  name: 'create',
  describe: 'let tokens of an issuer take the place of an API key',
  options: [
    TEAM_OPTION,
    { ...NAME, isRequired: true },
    ISSUER,
    { ...MATCH, isRequired: true },
    { ...AUDIENCE, describe: `${AUDIENCE.describe} (default: zonestead/<teamId>)` },
    ...KEY_OPTIONS,
    { ...MAX_TOKEN_AGE, describe: `${MAX_TOKEN_AGE.describe} (default: 3600)` },
    PIN_SUBJECTS,
    ...RIGHTS_OPTIONS,
  ],
  notes: TEMPLATES,
  examples: ['zonestead trusts create --name ci --issuer https://gitlab.example.net --match namespace_path=platform'],
  run: (session, _args, options: Options) => createTrust(session, options),
});

export const update = describeRestCommand({
  name: 'update',
  describe: 'change the tokens that a trust accepts, its rights, or its end',
  arguments: [TRUST_ID],
  options: [
    TEAM_OPTION,
    { ...NAME, describe: 'new purpose of the trust' },
    MATCH,
    AUDIENCE,
    ...KEY_OPTIONS,
    { flags: '--discovery', describe: 'ask the issuer for its keys' },
    MAX_TOKEN_AGE,
    { ...PIN_SUBJECTS, describe: 'whether to keep the UID of a service account from its first request on' },
    ...RIGHTS_CHANGE_OPTIONS,
  ],
  notes:
    'Values without an option stay as they are. An option that can be repeated replaces the list. The issuer cannot change.',
  run: (session, [trustId = ''], options: Options) => updateTrust(session, trustId, options),
});

/** @throws Error if an option is wrong, and if the service refuses */
async function createTrust(session: Session, { team: given, ...options }: Options): Promise<void> {
  const { client, signal, print } = session;
  const body = parseTerms(trustBody, await trustFields(options, signal));
  const team = await teamOf(session, given);
  const params = { teamId: team.id };
  const made = await sendTerms(() => client.call(trustApi.createTrust, { params, body }, { signal }));
  await show(session, made, () =>
    print(
      `trust ${made.id} of team ${team.name}: tokens of ${made.issuer} for the audience ${made.audience} are accepted`,
    ),
  );
}

/** @throws Error also if nothing changes */
async function updateTrust(session: Session, trustId: string, { team: given, ...options }: Options): Promise<void> {
  const { client, signal, print } = session;
  const body = parseTerms(trustChangeBody, await trustFields(options, signal));
  if (Object.keys(body).length === 0) {
    throw new Error('nothing to change; "zonestead trusts update --help" lists the options');
  }
  const { id: teamId } = await teamOf(session, given);
  const params = { teamId, trustId };
  const trust = await sendTerms(() => client.call(trustApi.updateTrust, { params, body }, { signal }));
  await show(session, trust, () => printFields(trust, print));
}
