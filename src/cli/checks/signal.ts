// `zonestead checks signal`: a monitor says that the addresses of a check work, or that they do not.
import { DECIDED_STATES } from '#base/check-form.ts';
import { signalWrite } from '#contract/checks.ts';
import { setCheckSignal } from '#contract/operations/checks.ts';
import { DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { show } from '../output.ts';
import { parseFields } from '../parse-options.ts';
import { describeRestCommand } from '../rest/command.ts';
import type { Session } from '../rest/session.ts';
import { withoutUndefined } from '../terms.ts';
import { CHECK, OWNER, type OwnerOption } from './options.ts';
import { describeSignal } from './print.ts';

interface SignalOptions extends OwnerOption, DryRunOption {
  for?: number;
  address?: string;
  reason?: string;
}

export const signal = describeRestCommand({
  name: 'signal',
  describe: 'send the state of the addresses of a check of the type signal',
  arguments: [CHECK, { usage: '<state>', describe: 'state of the addresses', choices: DECIDED_STATES }],
  options: [
    {
      flags: '--for <time>',
      describe: 'how long it counts without another signal, from 10s to 1d (default: 5m)',
      value: 'seconds',
    },
    { flags: '--address <address>', describe: 'the only address that it is for (default: all addresses)' },
    { flags: '--reason <text>', describe: 'why, for the people who see the state' },
    OWNER,
    DRY_RUN_OPTION,
  ],
  notes:
    'Send it again before it ends. After its end the state is Unknown, which counts as healthy, so a monitor that is down keeps no address out of the answers. The API key needs the right to send signals for the check: "zonestead keys mint --records none --signal NAME".',
  examples: ["zonestead checks signal shop Unhealthy --for 1m --reason '5 of 6 logins failed'"],
  run: (session, [name = '', state = ''], options: SignalOptions) => sendSignal(session, name, state, options),
});

/** The options whose names are not those of their fields. */
const OPTIONS: Readonly<Record<string, string>> = { ttlSeconds: '--for' };

/** @throws Error that names each wrong option */
async function sendSignal(
  session: Session,
  name: string,
  state: string,
  { owner, dryRun, for: ttlSeconds, address, reason }: SignalOptions,
): Promise<void> {
  const { client, signal: abort, print } = session;
  const fields = withoutUndefined({ state, ttlSeconds, address, reason });
  const body = parseFields(signalWrite, fields, (field) => OPTIONS[field] ?? `--${field}`);
  if (dryRun) {
    const words = `would send ${state} for ${address ?? 'all addresses'} of the check ${name}, for ${body.ttlSeconds} s`;
    return show(session, { dryRun: true, signal: body }, () => print(words));
  }
  const sent = await client.call(setCheckSignal, { params: { name }, query: { owner }, body }, { signal: abort });
  await show(session, sent, () => print(`${name} is ${describeSignal(sent)}`));
}
