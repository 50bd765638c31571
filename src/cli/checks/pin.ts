// `zonestead checks pin` and `unpin`: a person says for some time that an address works, or does not.
import type { TargetView } from '#contract/checks.ts';
import { pinTarget, unpinTarget } from '#contract/operations/checks.ts';
import { DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { show } from '../output.ts';
import { describeRestCommand } from '../rest/command.ts';
import type { Session } from '../rest/session.ts';
import { formatMinute } from '../table.ts';
import { CHECK, OWNER, type OwnerOption, readCheck } from './options.ts';
import { printTargets } from './print.ts';

interface PinOptions extends OwnerOption, DryRunOption {
  reason?: string;
  for?: number;
}

const ADDRESS = { usage: '<address>', describe: 'an address that "checks show" lists' } as const;
const STATES = { healthy: 'Healthy', unhealthy: 'Unhealthy' } as const;

export const pin = describeRestCommand({
  name: 'pin',
  describe: 'take an address out of the answers, or keep it in, for some time',
  arguments: [
    CHECK,
    ADDRESS,
    { usage: '<state>', describe: 'state that counts instead of the probes', choices: Object.keys(STATES) },
  ],
  options: [
    { flags: '--reason <text>', describe: 'why, for the people who see it', isRequired: true },
    { flags: '--for <time>', describe: 'how long, from 1m to 30d', value: 'seconds', isRequired: true },
    OWNER,
    DRY_RUN_OPTION,
  ],
  notes:
    'The probes continue, and count again when the pin ends. An address that is the last one of its name stays in the answers, unless its records have --when-all-fail ServeNone.',
  examples: ["zonestead checks pin web 192.0.2.1 unhealthy --reason 'kernel update' --for 30m"],
  run: (session, [name = '', address = '', state = ''], options: PinOptions) =>
    pinAddress(session, { name, address, state: STATES[state as keyof typeof STATES] }, options),
});

export const unpin = describeRestCommand({
  name: 'unpin',
  describe: 'end the pin of an address, so that the probes count again',
  arguments: [CHECK, ADDRESS],
  options: [OWNER, DRY_RUN_OPTION],
  run: (session, [name = '', address = ''], options: PinOptions) => unpinAddress(session, { name, address }, options),
});

interface Place {
  name: string;
  address: string;
}

/** @throws Error if the check or the address does not exist */
async function pinAddress(
  session: Session,
  { state, ...place }: Place & { state: TargetPin['state'] },
  { owner, dryRun, reason = '', for: seconds = 0 }: PinOptions,
): Promise<void> {
  const { client, signal, print } = session;
  if (dryRun) return preview(session, place, owner, `would pin ${place.address} as ${state} for ${seconds} s`);
  const body = { state, reason, seconds };
  const target = await client.call(pinTarget, { params: place, query: { owner }, body }, { signal });
  await show(session, target, () =>
    print(`pinned ${target.address} as ${state} until ${formatMinute(target.pin?.until ?? null)}`),
  );
}

type TargetPin = NonNullable<TargetView['pin']>;

/** @throws Error if the check or the address does not exist */
async function unpinAddress(session: Session, place: Place, { owner, dryRun }: PinOptions): Promise<void> {
  const { client, signal, print } = session;
  if (dryRun) return preview(session, place, owner, `would end the pin of ${place.address}`);
  await client.call(unpinTarget, { params: place, query: { owner } }, { signal });
  await show(session, place, () => print(`ended the pin of ${place.address}; the probes count again`));
}

/** Shows the address as it is. @throws Error if it does not exist */
async function preview(
  session: Session,
  { name, address }: Place,
  owner: string | undefined,
  effect: string,
): Promise<void> {
  const { targets } = await readCheck(session, name, owner);
  const target = targets.find((each) => each.address === address.toLowerCase());
  if (target === undefined)
    throw new Error(
      `no record with the check ${name} has the address ${address}; "zonestead checks show ${name}" lists them`,
    );
  await show(session, { dryRun: true, target }, () => {
    session.print(effect);
    printTargets([target], session.print);
  });
}
