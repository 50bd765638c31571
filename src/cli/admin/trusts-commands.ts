// `zonestead trusts …`: trusts, over the database of the service.
import { DATABASE_SETTINGS } from '#base/postgres-settings.ts';
import { type CommandGroup, describeCommand } from '../command.ts';
import { CREATE_TEAM_OPTION, DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';
import { RIGHTS_OPTIONS } from './keys-commands.ts';

const settings = DATABASE_SETTINGS;
const TEAM = { flags: '--team <name>', describe: 'only the trusts of this team' };
const TRUST = { usage: '<trustId>', describe: 'id of the trust, as "trusts list" prints it' };

const create = describeCommand({
  name: 'create',
  describe: 'let tokens of an issuer take the place of an API key',
  options: [
    {
      flags: '--team <team>',
      describe: 'team by name or by id ("teams list")',
      isRequired: true,
    },
    CREATE_TEAM_OPTION,
    { flags: '--name <name>', describe: 'purpose of the trust', isRequired: true },
    {
      flags: '--issuer <issuer>',
      describe: 'issuer of the tokens (iss): an https:// address, or spiffe:// with a trust domain',
      isRequired: true,
    },
    {
      flags: '--match <claim=value>',
      describe:
        'a claim that a token must have; * matches any run of characters; / separates the names of nested claims, for instance kubernetes.io/namespace=team-a; can be repeated. Or an object in JSON',
      value: 'list',
      isRequired: true,
    },
    { flags: '--audience <audience>', describe: 'audience that a token must have', default: 'zonestead' },
    { flags: '--jwks-url <address>', describe: 'read the keys of the issuer, or a SPIFFE bundle, from this address' },
    { flags: '--jwks-file <path>', describe: 'pin the keys in this file, a JSON Web Key Set' },
    { flags: '--cluster-keys', describe: 'use the keys of the cluster that the api runs in' },
    { flags: '--token-review', describe: 'let the API server of the cluster that the api runs in judge each token' },
    { flags: '--ca-file <path>', describe: 'verify the server with the keys by these certificates, in PEM' },
    { flags: '--private-addresses', describe: 'allow http:// and private addresses for the keys' },
    { flags: '--max-token-age <seconds>', describe: 'longest lifetime of a token, from 60 to 3600', default: '3600' },
    {
      flags: '--pin-subjects <choice>',
      describe:
        'whether to keep the UID of a service account from its first request on, and refuse an account that was created again; without it: yes if --match accepts several namespaces',
      choices: ['yes', 'no'],
    },
    ...RIGHTS_OPTIONS,
  ],
  notes: `Without an option for the keys, the issuer is asked for them (OpenID Connect Discovery). A template in --only-name stands for a claim of --match: \${namespace} and \${serviceaccount} are those of a Kubernetes token.`,
  settings,
  run: async (_args, options: object, { config, print, signal }) => {
    const { runTrustsCreate } = await import('./trusts.ts');
    await runTrustsCreate(config(), options, { print, signal });
  },
});

const list = describeCommand({
  name: 'list',
  describe: 'list trusts',
  options: [TEAM, OUTPUT_OPTION],
  settings,
  run: async (_args, { team, output }: OutputOption & { team?: string }, { config, print }) => {
    const { runTrustsList } = await import('./trusts.ts');
    await runTrustsList(config(), team, { format: output, print });
  },
});

const show = describeCommand({
  name: 'show',
  describe: 'show a trust, and the last use of each of its subjects',
  arguments: [TRUST],
  options: [OUTPUT_OPTION],
  settings,
  run: async ([id = ''], { output }: OutputOption, { config, print }) => {
    const { runTrustsShow } = await import('./trusts.ts');
    await runTrustsShow(config(), id, { format: output, print });
  },
});

const revoke = describeCommand({
  name: 'revoke',
  describe: 'revoke a trust permanently; its tokens are refused at once',
  arguments: [TRUST],
  options: [DRY_RUN_OPTION],
  settings,
  run: async ([id = ''], options: DryRunOption, { config, print }) => {
    const { runTrustsRevoke } = await import('./trusts.ts');
    await runTrustsRevoke(config(), id, options, print);
  },
});

const test = describeCommand({
  name: 'test',
  describe: 'say which trust accepts a token, and why the others do not',
  arguments: [{ usage: '<file>', describe: 'file with the token, - for standard input' }],
  options: [TEAM, OUTPUT_OPTION],
  notes:
    'The exit code is 1 if no trust accepts the token. The token is not an argument, because other users could see it.',
  settings,
  run: async ([path = ''], { team, output }: OutputOption & { team?: string }, { config, print, signal }) => {
    const { runTrustsTest } = await import('./trusts.ts');
    return runTrustsTest(config(), path, team, { format: output, print, signal });
  },
});

const accept = describeCommand({
  name: 'accept',
  describe: 'accept a service account that was deleted and created again',
  arguments: [TRUST, { usage: '<subject>', describe: 'subject of its tokens, as "trusts show" prints it' }],
  options: [
    { flags: '--uid <uid>', describe: 'UID of the service account; without it, the UID of its next token is accepted' },
  ],
  settings,
  run: async ([id = '', subject = ''], { uid }: { uid?: string }, { config, print }) => {
    const { runTrustsAccept } = await import('./trusts.ts');
    await runTrustsAccept(config(), id, { subject, uid: uid ?? null }, print);
  },
});

export const command: CommandGroup = {
  name: 'trusts',
  describe: 'manage trusts, which let tokens take the place of API keys (over the database)',
  commands: [create, list, show, revoke, test, accept],
};
