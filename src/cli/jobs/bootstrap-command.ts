// `zonestead bootstrap`
import { DATABASE_PROTECTION_SETTINGS } from '#base/postgres-settings.ts';
import { describeCommand } from '../command.ts';
import { CERTIFICATE_OPTION } from './certificate-option.ts';

export const command = describeCommand({
  name: 'bootstrap',
  describe:
    'in a cluster: create the Secrets, the database, the first team, the trusts, and the key of the name servers',
  options: [
    { flags: '--database <mode>', describe: 'builtin, external or cnpg', isRequired: true },
    {
      flags: '--database-secret <name>',
      describe: 'Secret that this command creates for the logins of the database (builtin)',
    },
    { flags: '--database-host <host[:port]>', describe: 'host of Postgres (builtin)' },
    {
      flags: '--database-certificate <secret>',
      describe: 'the Secret of --certificate with the certificate of Postgres (builtin)',
    },
    { flags: '--database-name <name>', describe: 'name of the database (builtin)', default: 'zonestead' },
    { flags: '--given-secret <name>', describe: 'Secret with the passwords to use (builtin)' },
    { flags: '--url-secret <name>', describe: 'Secret with the database address for the api (external, cnpg)' },
    { flags: '--url-key <key>', describe: 'key of that Secret', default: 'uri' },
    {
      flags: '--node-key-secret <name>',
      describe: 'Secret that this command creates for the key of the name servers',
    },
    {
      flags: '--session-secret <name>',
      describe: 'Secret that this command creates for the session key of the console',
    },
    {
      flags: '--encryption-secret <name>',
      describe: 'Secret that this command creates for the key that encrypts private keys in the database',
    },
    { flags: '--given-encryption-secret <name>', describe: 'Secret with the keys to use in its place' },
    {
      flags: '--secondaries <json>',
      describe: 'secondaries that the service has; those that an earlier run added and that are not in it are removed',
    },
    { flags: '--secondaries-secret <name>', describe: 'Secret in which this command remembers their names' },
    {
      flags: '--trusts <json>',
      describe: 'trusts that the service has; those that an earlier run added and that are not in it are revoked',
    },
    { flags: '--trusts-of <text>', describe: 'installation whose trusts they are, such as its namespace and name' },
    {
      flags: '--zone <name=team>',
      describe: 'zone that the team has, once for each; an existing one stays as it is',
      value: 'list',
    },
    { flags: '--nameservers <names>', describe: 'host names of the name servers of these zones', default: '' },
    CERTIFICATE_OPTION,
    { flags: '--team <name>', describe: 'team of trusts that name none', default: 'platform' },
    {
      flags: '--rotation <text>',
      describe: 'a new value gives the name servers a new key',
      default: '',
    },
    { flags: '--labels <key=value,...>', describe: 'labels of every Secret that this command creates', default: '' },
    { flags: '--timeout <seconds>', describe: 'time to wait for missing parts', default: '300' },
  ],
  settings: [
    'ZONESTEAD_LOG_LEVEL',
    'KUBECONFIG',
    'KUBERNETES_SERVICE_HOST',
    'KUBERNETES_SERVICE_PORT',
    ...DATABASE_PROTECTION_SETTINGS,
  ],
  run: async (_args, options: object, { config, signal }) => {
    const { bootstrapOptions } = await import('./options.ts');
    const { runBootstrap } = await import('./run.ts');
    await runBootstrap(bootstrapOptions(options), config(), signal);
  },
});
