// `zonestead checks …`: health checks of addresses, over the REST API.
import { writeProbe } from '#contract/check-text.ts';
import * as checkApi from '#contract/operations/checks.ts';
import type { CommandGroup } from '../command.ts';
import { DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { show } from '../output.ts';
import { describeRestCommand } from '../rest/command.ts';
import type { Session } from '../rest/session.ts';
import { table } from '../table.ts';
import { CHECK, OWNER, type OwnerOption, readCheck } from './options.ts';
import { pin, unpin } from './pin.ts';
import { printCheck } from './print.ts';
import { set } from './set.ts';
import { signal } from './signal.ts';

const list = describeRestCommand({
  name: 'list',
  describe: 'list the checks, and how many addresses each has in each state',
  options: [{ ...OWNER, describe: 'org:<teamId>, or personal (default: all checks that the API key can see)' }],
  run: (session, _args, { owner }: OwnerOption) => listChecks(session, owner),
});

const one = describeRestCommand({
  name: 'show',
  describe: 'show a check with its addresses, their states, reasons and pins',
  arguments: [CHECK],
  options: [OWNER],
  run: (session, [name = ''], { owner }: OwnerOption) => showCheck(session, name, owner),
});

const remove = describeRestCommand({
  name: 'delete',
  describe: 'delete a check that no record names',
  arguments: [CHECK],
  options: [OWNER, DRY_RUN_OPTION],
  run: (session, [name = ''], options: OwnerOption & DryRunOption) => deleteCheck(session, name, options),
});

export const command: CommandGroup = {
  name: 'checks',
  describe: 'health checks: addresses that do not work leave the answers',
  examples: [
    'zonestead checks set web --type https --host www.shop.example --path /healthz',
    'zonestead checks show web',
    "zonestead checks pin web 192.0.2.1 unhealthy --reason 'kernel update' --for 30m",
  ],
  commands: [list, one, set, signal, remove, pin, unpin],
};

async function listChecks(session: Session, owner: string | undefined): Promise<void> {
  const { client, signal, print } = session;
  const { checks } = await client.call(checkApi.listChecks, { query: { owner } }, { signal });
  const rows = checks.map(({ name, owner: whose, definition, counts: { healthy, unhealthy, unknown } }) => [
    ...[name, whose, String(healthy), String(unhealthy), String(unknown), writeProbe(definition)],
  ]);
  await show(session, { checks }, () => {
    if (checks.length === 0) print('no check exists yet; "zonestead checks set" creates one');
    else table(['CHECK', 'OWNER', 'HEALTHY', 'UNHEALTHY', 'UNKNOWN', 'PROBE'], rows, print);
  });
}

/** @throws Error if it does not exist */
async function showCheck(session: Session, name: string, owner: string | undefined): Promise<void> {
  const check = await readCheck(session, name, owner);
  await show(session, check, () => printCheck(check, session.print));
}

/** @throws Error if it does not exist, or records name it */
async function deleteCheck(
  session: Session,
  name: string,
  { owner, dryRun }: OwnerOption & DryRunOption,
): Promise<void> {
  const { client, signal, print } = session;
  if (dryRun) {
    const check = await readCheck(session, name, owner);
    return show(session, { dryRun: true, check }, () => {
      const count = check.targets.length;
      const refused = count === 0 ? '' : `; the service refuses it while records with ${count} addresses name it`;
      print(`would delete the check ${name}${refused}`);
    });
  }
  await client.call(checkApi.deleteCheck, { params: { name }, query: { owner } }, { signal });
  await show(session, { name }, () => print(`deleted the check ${name}`));
}
