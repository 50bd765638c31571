// `zonestead checks set`: creates a check, or replaces its definition.

import { CHECK_TYPES, readStatus } from '#base/check-form.ts';
import { isAbsent } from '#client/errors.ts';
import { type CheckDefinition, type CheckView, checkBody, type ProbeDefinition, probeBody } from '#contract/checks.ts';
import * as api from '#contract/operations/checks.ts';
import type { OptionDescription } from '../command.ts';
import { DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { show } from '../output.ts';
import { parseOptions } from '../parse-options.ts';
import { describeRestCommand } from '../rest/command.ts';
import type { Session } from '../rest/session.ts';
import { CHECK, OWNER, type OwnerOption, readCheck } from './options.ts';
import { printDefinition } from './print.ts';

type SetOptions = OwnerOption &
  DryRunOption & { expect?: string[] } & Omit<Partial<ProbeDefinition>, 'type' | 'expect'> &
  Pick<CheckDefinition, 'type'>;

const DEFINITION: OptionDescription[] = [
  {
    flags: '--type <type>',
    describe: 'kind of probe, or signal: a monitor sends the state',
    choices: CHECK_TYPES,
    isRequired: true,
  },
  { flags: '--port <number>', describe: 'port (default: 443 for https, 80 for http)', value: 'number' },
  { flags: '--path <path>', describe: 'path of the request, for http and https (default: /)' },
  { flags: '--host <name>', describe: 'host name of the request and of the certificate (default: the address)' },
  {
    flags: '--expect <status>',
    describe: 'status of a healthy answer, such as 200, or a class such as 2xx (default: 2xx and 3xx)',
    value: 'list',
  },
  { flags: '--interval <time>', describe: 'time between two probes, from 1s to 5m (default: 10s)', value: 'fraction' },
  { flags: '--timeout <time>', describe: 'time for an answer, from 0.1s to 10s (default: 2s)', value: 'fraction' },
  {
    flags: '--failures <number>',
    describe: 'failures in a row that make an address unhealthy, from 1 to 10 (default: 3)',
    value: 'number',
  },
  {
    flags: '--retry-interval <time>',
    describe: 'time until the next probe after a failure, from 0.5s to 1m (default: 0.5s)',
    value: 'fraction',
  },
  {
    flags: '--successes <number>',
    describe: 'successes in a row that make it healthy again, from 1 to 10 (default: 2)',
    value: 'number',
  },
  {
    flags: '--tls <verify>',
    describe: 'for https: verify the certificate, or accept any (default: verify)',
    choices: ['verify', 'none'],
  },
];

export const set = describeRestCommand({
  name: 'set',
  describe: 'create a check, or replace its definition; an omitted option has its default',
  arguments: [CHECK],
  options: [
    ...DEFINITION,
    { ...OWNER, describe: 'org:<teamId>, or personal (default: the team of an app key, or the person)' },
    DRY_RUN_OPTION,
  ],
  notes:
    'A check probes the addresses of the A and AAAA records that name it: "zonestead records set … --check NAME". Only public addresses are probed, and those of the networks that the administrator lists in ZONESTEAD_CHECK_NETWORKS.',
  examples: [
    'zonestead checks set web --type https --host www.shop.example --path /healthz',
    'zonestead checks set mail --type tcp --port 25 --interval 30s --dry-run',
    'zonestead checks set shop --type signal',
  ],
  run: (session, [name = ''], options: SetOptions) => setCheck(session, name, options),
});

/** @throws Error that names each wrong option */
async function setCheck(session: Session, name: string, options: SetOptions): Promise<void> {
  const { client, signal, print } = session;
  const definition = toDefinition(options);
  const { owner, dryRun } = options;
  if (dryRun) {
    const before = await readCheck(session, name, owner).catch(nullIfAbsent);
    return show(session, { dryRun: true, before: before?.definition ?? null, after: definition }, () => {
      print(before === null ? `would create the check ${name}` : `would replace the definition of the check ${name}`);
      if (before !== null) printDefinition(before.definition, (line) => print(`- ${line}`));
      printDefinition(definition, (line) => print(before === null ? line : `+ ${line}`));
    });
  }
  const check = await client.call(api.setCheck, { params: { name }, query: { owner }, body: definition }, { signal });
  await show(session, check, () => {
    print(`${name} (${check.owner}) is set`);
    printDefinition(check.definition, print);
  });
}

/** With all defaults; `--expect 200,204` and a repeated option mean the same. @throws Error */
function toDefinition({ owner: _owner, dryRun: _dryRun, expect, ...options }: SetOptions): CheckDefinition {
  const fields = Object.fromEntries(Object.keys(probeBody.shape).map((name) => [name, options[name as 'port']]));
  const given = Object.entries({ ...fields, expect: expect?.flatMap((text) => text.split(',').map(readStatus)) });
  return parseOptions(checkBody, Object.fromEntries(given.filter(([, value]) => value !== undefined)));
}

function nullIfAbsent(error: unknown): CheckView | null {
  if (isAbsent(error) && error.code === 'not_found') return null;
  throw error;
}
