// The wait until a challenge can be seen: every name server of its zone is asked itself, until each answers the value. It
// must not know how the value got there.
import type { Clock } from '../../client/clock.ts';
import { parseRdata } from '../../dns/types/index.ts';
import { type AddressResolver, type Endpoint, resolveServers, rrsetServed } from '../../nameserver/probe.ts';
import { type Placed, wait } from './challenge.ts';

export interface ServedOptions {
  overrides: ReadonlyMap<string, Endpoint>;
  resolver: AddressResolver;
  clock: Clock;
  /** How long to wait, in ms. */
  limitMs: number;
}

const PAUSES_MS = [50, 100, 250, 500, 1_000];
const LONGEST_PAUSE_MS = 2_000;

/** @throws Error for people that names each server and what is wrong with it, once `limitMs` are over */
export async function untilServed(
  { zone, name }: Placed,
  value: string,
  { overrides, resolver, clock, limitMs }: ServedOptions,
  signal: AbortSignal,
): Promise<void> {
  const parsed = parseRdata('TXT', value, null);
  if (!parsed.ok) throw new Error(`The value is no TXT: ${parsed.problem.message}`);
  const expected = { name, type: 'TXT' as const, rdatas: [parsed.value.wire] };
  const until = clock.now() + limitMs;
  for (let look = 0; ; look += 1) {
    const { servers, unresolved } = await resolveServers(zone.nameservers, { overrides, resolver, signal });
    const verdicts = await rrsetServed(expected, servers, { timeoutMs: 1_500, attempts: 2, signal });
    const problems = [
      ...unresolved.map((server) => `${server.name} ${server.problem}`),
      ...verdicts.flatMap(({ server, problem }) =>
        problem === null ? [] : `${server.name} (${server.address}) ${problem}`,
      ),
    ];
    if (problems.length === 0) return;
    if (clock.now() >= until) {
      throw new Error(
        `${name} is written, but after ${limitMs / 1000} s not every name server answers it: ${problems.join('; ')}.`,
      );
    }
    await wait(clock, PAUSES_MS[look] ?? LONGEST_PAUSE_MS, signal);
  }
}
