// The commands for people at a terminal as commander sees them: keys and users beside the database, zones and records over
// the REST service. What they do is loaded only when one is run.
import { type Command, InvalidArgumentError } from 'commander';
import { addAcme } from './acme/command.ts';
import { addBootstrap } from './bootstrap/command.ts';
import { addCheck } from './check/command.ts';
import type { Session } from './session.ts';

type Print = (line: string) => void;

export function addCommands(program: Command, print: Print, signal: AbortSignal): void {
  addKeys(program, print);
  addUsers(program, print);
  addZones(program, print, signal);
  addRecords(program, print, signal);
  addAcme(program, print, signal);
  addBootstrap(program, signal);
  addCheck(program, print, signal);
}

async function databaseConfig() {
  const { readConfig } = await import('../config.ts');
  return readConfig(['DATABASE_URL']);
}

function addKeys(program: Command, print: Print): void {
  const keys = program.command('keys').description('API keys, beside the database (DATABASE_URL)');
  keys
    .command('mint')
    .description("make a team's API key and print it, once")
    .requiredOption('--team <name>', 'the team; made when there is none')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--records <level>', 'on the records of all zones: none, read or write', 'write')
    .option('--manage-zones <level>', 'none, read or write', 'none')
    .option('--grant <zoneId=level>', 'on the records of one zone; wins over --records; may be repeated', collect)
    .option('--only-name <pattern>', 'only names like this, e.g. _acme-challenge.*; may be repeated', collect)
    .option('--only-type <type>', 'only records of this type; may be repeated', collect)
    .option('--network <cidr>', 'only from this network; may be repeated', collect)
    .option('--expires <time>', 'ISO 8601, e.g. 2027-01-31T00:00:00Z')
    .option('--zone-writes <number>', "zone writes a minute, instead of the service's limit")
    .option('--record-writes <number>', "record writes a minute, instead of the service's limit")
    .action(async (options) => {
      const { runKeysMint } = await import('./keys.ts');
      await runKeysMint(await databaseConfig(), options, print);
    });
  keys
    .command('list')
    .description('list API keys, never a secret')
    .option('--team <name>', 'only of this team')
    .option('--json', 'as JSON')
    .action(async (options) => {
      const { runKeysList } = await import('./keys.ts');
      await runKeysList(await databaseConfig(), options, print);
    });
  keys
    .command('revoke')
    .description('revoke an API key for good')
    .argument('<keyId>', 'as "keys list" shows it')
    .action(async (keyId) => {
      const { runKeysRevoke } = await import('./keys.ts');
      await runKeysRevoke(await databaseConfig(), keyId, print);
    });
}

function addUsers(program: Command, print: Print): void {
  program
    .command('users')
    .description('people, beside the database (DATABASE_URL)')
    .command('add')
    .description("make a person, or find it by its address, and print a new key of the person's, once")
    .requiredOption('--email <address>')
    .option('--name <name>', '(default: the address)')
    .option('--key-name <name>', 'what the key is for', 'command line')
    .option('--team <name>', 'a team to be a member of; made when there is none')
    .option('--role <role>', 'in that team: owner or member', 'owner')
    .action(async (options) => {
      const { runUsersAdd } = await import('./users.ts');
      await runUsersAdd(await databaseConfig(), options, print);
    });
}

/** A command over the REST service. */
function online(print: Print, signal: AbortSignal) {
  return async (options: { json?: boolean }, work: (session: Session) => Promise<void>): Promise<void> => {
    const { readConfig } = await import('../config.ts');
    const { withSession } = await import('./session.ts');
    await withSession(readConfig(['ZONESTEAD_URL', 'ZONESTEAD_API_KEY']), options, print, signal, work);
  };
}

function addZones(program: Command, print: Print, signal: AbortSignal): void {
  const run = online(print, signal);
  const zones = program.command('zones').description('zones, over the REST service (ZONESTEAD_URL, ZONESTEAD_API_KEY)');
  const command = (usage: string, description: string) =>
    zones.command(usage).description(description).option('--json', 'as JSON');
  const load = () => import('./zones.ts');

  command('list', 'list the zones that the key sees').action(async (options) =>
    run(options, async (session) => (await load()).listZones(session)),
  );
  command('create <name>', 'create a zone')
    .option('--owner <owner>', 'org:<teamId> or personal (default: whose the key is)')
    .option('--default-ttl <seconds>', 'for records that carry none', number)
    .action(async (name, options) =>
      run(options, async (session) => (await load()).createZone(session, name, options)),
    );
  command('get <zone>', 'show a zone with its delegation data').action(async (zone, options) =>
    run(options, async (session) => (await load()).getZone(session, zone)),
  );
  command('delete <zone>', 'delete a zone with all its records')
    .option('--yes', 'yes, for good')
    .action(async (zone, options) =>
      run(options, async (session) => (await load()).deleteZone(session, zone, options)),
    );
  command('park <zone>', 'suspend resolution').action(async (zone, options) =>
    run(options, async (session) => (await load()).setParked(session, zone, true)),
  );
  command('unpark <zone>', 'restore resolution').action(async (zone, options) =>
    run(options, async (session) => (await load()).setParked(session, zone, false)),
  );
  command('import <zone>', 'print the DNSZone and DNSRecords (YAML) that take over a zone as it is')
    .requiredOption('--to-manifests', 'as manifests for kubectl apply')
    .option('-n, --namespace <namespace>', 'to be written into each object')
    .action(async (zone, options) =>
      run(options, async (session) => (await import('./import.ts')).importZone(session, zone, options)),
    );
  command('ds <zone>', 'print the DS records for the parent zone').action(async (zone, options) =>
    run(options, async (session) => (await load()).showDs(session, zone)),
  );
}

function addRecords(program: Command, print: Print, signal: AbortSignal): void {
  const run = online(print, signal);
  const records = program
    .command('records')
    .description('records, over the REST service (ZONESTEAD_URL, ZONESTEAD_API_KEY)');
  const command = (usage: string, description: string) =>
    records.command(usage).description(description).option('--json', 'as JSON');
  const load = () => import('./records.ts');

  command('list <zone>', 'list the records of a zone')
    .option('--name <name>', 'only of this name')
    .option('--type <type>', 'only of this type')
    .action(async (zone, options) =>
      run(options, async (session) => (await load()).listRecords(session, zone, options)),
    );
  command('create <zone> <name> <type> <content>', 'create a record; "@" is the apex')
    .option('--ttl <seconds>', "(default: the zone's)", number)
    .option('--priority <number>', 'MX only', number)
    .action(async (zone, name, type, content, options) =>
      run(options, async (session) =>
        (await load()).createRecord(session, zone, [name, type, content], writesOf(options)),
      ),
    );
  command('update <zone> <recordId> <content>', 'replace what a record says')
    .option('--ttl <seconds>', "(default: the zone's)", number)
    .option('--priority <number>', 'MX only', number)
    .action(async (zone, recordId, content, options) =>
      run(options, async (session) => (await load()).updateRecord(session, zone, recordId, content, writesOf(options))),
    );
  command('delete <zone> <recordId>', 'delete a record').action(async (zone, recordId, options) =>
    run(options, async (session) => (await load()).deleteRecord(session, zone, recordId)),
  );
}

function writesOf({ ttl, priority }: { ttl?: number; priority?: number }) {
  return { ...(ttl === undefined ? {} : { ttl }), ...(priority === undefined ? {} : { priority }) };
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function number(text: string): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
