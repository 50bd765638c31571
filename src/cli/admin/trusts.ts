// `zonestead admin trusts …`: an administrator of the service creates, lists, revokes and tests the trusts of all teams
// in the database.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { administratorTrustTerms } from '#contract/terms.ts';
import type { CommandGroup } from '../command.ts';
import { readInput } from '../input.ts';
import { CREATE_TEAM_OPTION, DRY_RUN_OPTION, type DryRunOption, sayer } from '../options.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';
import { formatMinute, table } from '../table.ts';
import { parseTerms, RIGHTS_OPTIONS, sendTerms } from '../terms.ts';
import { showExplanation } from '../trusts/explanation.ts';
import { buildTrustCells, printTrust, TRUST_COLUMNS } from '../trusts/print.ts';
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
} from '../trusts/terms.ts';
import { type Administration, describeAdminCommand, outputOf } from './command.ts';

const TEAM = { flags: '--team <name>', describe: 'only the trusts of this team' };
const TRUST = { usage: '<trustId>', describe: 'id of the trust, as "admin trusts list" prints it' };
const load = () => import('#service/credentials/administration.ts');

type CreateOptions = TrustGiven & { team: string; createTeam?: boolean };
type TeamOption = OutputOption & { team?: string };

const create = describeAdminCommand({
  name: 'create',
  describe: 'let tokens of an issuer take the place of an API key',
  options: [
    { flags: '--team <team>', describe: 'team by name or by id ("admin teams list")', isRequired: true },
    CREATE_TEAM_OPTION,
    { ...NAME, isRequired: true },
    ISSUER,
    { ...MATCH, isRequired: true },
    { ...AUDIENCE, default: 'zonestead' },
    ...KEY_OPTIONS,
    { flags: '--cluster-keys', describe: 'use the keys of the cluster that the api runs in' },
    { flags: '--token-review', describe: 'let the API server of the cluster that the api runs in judge each token' },
    { flags: '--ca-file <path>', describe: 'verify the server with the keys by these certificates, in PEM' },
    { flags: '--private-addresses', describe: 'allow http:// and private addresses for the keys' },
    { ...MAX_TOKEN_AGE, default: '3600' },
    PIN_SUBJECTS,
    ...RIGHTS_OPTIONS,
  ],
  notes: TEMPLATES,
  run: (administration, _args, options: CreateOptions) => createTrust(administration, options),
});

const list = describeAdminCommand({
  name: 'list',
  describe: 'list trusts',
  options: [TEAM, OUTPUT_OPTION],
  run: (administration, _args, options: TeamOption) => listTrusts(administration, options),
});

const showCommand = describeAdminCommand({
  name: 'show',
  describe: 'show a trust, and the last use of each of its subjects',
  arguments: [TRUST],
  options: [OUTPUT_OPTION],
  run: (administration, [id = ''], options: OutputOption) => showTrust(administration, id, options),
});

const revoke = describeAdminCommand({
  name: 'revoke',
  describe: 'revoke a trust permanently; its tokens are refused at once',
  arguments: [TRUST],
  options: [DRY_RUN_OPTION],
  run: (administration, [id = ''], options: DryRunOption) => revokeTrust(administration, id, options),
});

const test = describeAdminCommand({
  name: 'test',
  describe: 'say which trust accepts a token, and why the others do not',
  arguments: [{ usage: '<file>', describe: 'file with the token, - for standard input' }],
  options: [TEAM, OUTPUT_OPTION],
  notes:
    'The exit code is 1 if no trust accepts the token. The token is not an argument, because other users could see it.',
  run: (administration, [path = ''], options: TeamOption) => testToken(administration, path, options),
});

const accept = describeAdminCommand({
  name: 'accept',
  describe: 'accept a service account that was deleted and created again',
  arguments: [TRUST, { usage: '<subject>', describe: 'subject of its tokens, as "admin trusts show" prints it' }],
  options: [
    { flags: '--uid <uid>', describe: 'UID of the service account; without it, the UID of its next token is accepted' },
  ],
  run: (administration, [id = '', subject = ''], { uid }: { uid?: string }) =>
    acceptSubject(administration, id, { subject, uid: uid ?? null }),
});

export const trusts: CommandGroup = {
  name: 'trusts',
  describe: 'manage the trusts of all teams, which let tokens take the place of API keys',
  commands: [create, list, showCommand, revoke, test, accept],
};

const terms = z.strictObject(administratorTrustTerms).partial().required({ name: true, issuer: true, match: true });

/** @throws Error if an option is wrong */
async function createTrust(
  { url, print, signal }: Administration,
  { team, createTeam, ...given }: CreateOptions,
): Promise<void> {
  const input = parseTerms(terms, await trustFields(given, signal));
  const { adminCreateTrust } = await load();
  const made = await sendTerms(() => adminCreateTrust(url, { team, createTeam }, input, randomBytes, new Date()));
  print(
    `trust ${made.id} of team ${made.team}: tokens of ${made.issuer} for the audience ${made.audience} are accepted`,
  );
  for (const { id, name: other, teamName } of made.revoked)
    print(
      `trust ${id} (${other}) of team ${teamName} accepted tokens of this trust, so it is revoked; that team needs an audience of its own`,
    );
}

/** Lists the trusts of the team with this name, or all trusts. */
async function listTrusts(administration: Administration, { team, ...options }: TeamOption): Promise<void> {
  const now = new Date();
  const { adminListTrusts } = await load();
  const listed = await adminListTrusts(administration.url, team ?? null);
  const rows = listed.map((trust) => [trust.id, trust.team, ...buildTrustCells(trust, now)]);
  await show(outputOf(administration, options), { trusts: listed }, () =>
    table(['ID', 'TEAM', ...TRUST_COLUMNS], rows, administration.print),
  );
}

/** @throws Error if the trust does not exist */
async function showTrust(administration: Administration, id: string, options: OutputOption): Promise<void> {
  const { adminReadTrust } = await load();
  const { known, ...trust } = await adminReadTrust(administration.url, id);
  await show(outputOf(administration, options), { ...trust, known }, () =>
    printTrust(trust, known, administration.print),
  );
}

/** @throws Error if the trust does not exist */
async function revokeTrust({ url, print }: Administration, id: string, options: DryRunOption): Promise<void> {
  const { adminRevokeTrust } = await load();
  const { name, team, subjects, lastUsedAt, revokedAt } = await adminRevokeTrust(url, id, new Date(), options);
  const say = sayer(print, options);
  say(`trust ${id} is revoked`);
  const use = lastUsedAt === null ? 'no token has used it' : `its last use was at ${formatMinute(lastUsedAt)}`;
  if (options.dryRun && revokedAt === null) say(`${name} of team ${team}: ${subjects} subjects, ${use}`);
}

/** @throws Error if the trust or the subject does not exist */
async function acceptSubject(
  { url, print }: Administration,
  id: string,
  wanted: { subject: string; uid: string | null },
): Promise<void> {
  const { adminAcceptSubject } = await load();
  await adminAcceptSubject(url, id, wanted, new Date());
  const of = wanted.uid === null ? 'its next token' : `the UID ${wanted.uid}`;
  print(`trust ${id} accepts ${wanted.subject} with ${of}`);
}

/** @returns the exit code: 1 if no trust accepts the token */
async function testToken(
  administration: Administration,
  path: string,
  { team, ...options }: TeamOption,
): Promise<number> {
  const token = await readInput(path, administration.signal);
  const [{ adminExplainToken }, { createLogger }, { createMetrics }, { createTokenVerifier }] = await Promise.all([
    load(),
    import('#telemetry/log.ts'),
    import('#telemetry/metrics.ts'),
    import('#tokens/verifier.ts'),
  ]);
  const log = createLogger({ name: 'trusts', level: 'silent' });
  const tokens = createTokenVerifier({ log, metrics: createMetrics() });
  const found = await adminExplainToken(administration.url, tokens, token, team ?? null, new Date());
  return showExplanation(outputOf(administration, options), found);
}
