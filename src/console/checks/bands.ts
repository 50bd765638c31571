// The states of an address in the last day as the parts of a band, which checks/band.eta draws. Pure.
import { MAX_STATE_CHANGES } from '#base/check-form.ts';
import type { ChangeView, TargetView } from '#contract/checks.ts';
import { whenOf } from '../shell/when.ts';

/** The width of a band, which is a day; checks/band.eta has the same. */
export const BAND_WIDTH = 288;
const DAY_MS = 86_400_000;
/** A shorter part could not be seen. */
const LEAST_WIDTH = 1;

export interface Band {
  parts: { x: number; width: number; kind: 'healthy' | 'unhealthy' | 'unknown'; title: string }[];
  /** The band in a sentence, for screen readers. */
  words: string;
}

/** @param changes the newest {@link MAX_STATE_CHANGES} of all addresses, the newest first */
export function bandOf(
  { address, state, since }: Pick<TargetView, 'address' | 'state' | 'since'>,
  changes: readonly ChangeView[],
  now: Date,
): Band {
  const end = now.getTime();
  const begin = end - DAY_MS;
  const own = changes.filter((change) => change.address === address).reverse();
  const first = own[0] ?? { at: since, before: 'Unknown' as const, state };
  const oldest = changes[MAX_STATE_CHANGES - 1];
  const steps = [
    ...(oldest === undefined ? [] : [{ at: 0, state: 'Unknown' as const }]),
    { at: oldest === undefined ? 0 : Date.parse(oldest.at), state: first.before },
    ...(own.length > 0 ? own : [first]).map((step) => ({ at: Date.parse(step.at), state: step.state })),
  ];
  const parts = steps.flatMap(({ at, state: shown }, index) => {
    const from = Math.max(begin, at);
    const to = Math.min(end, steps[index + 1]?.at ?? end);
    if (to <= from) return [];
    const x = ((from - begin) / DAY_MS) * BAND_WIDTH;
    const width = Math.max(LEAST_WIDTH, ((to - from) / DAY_MS) * BAND_WIDTH);
    const title =
      at <= begin ? `${shown} a day ago` : `${shown} since ${whenOf(new Date(at).toISOString(), now).exact}`;
    return [{ x: round(x), width: round(width), kind: kindOf(shown), title }];
  });
  const falls = own.filter((change) => change.state === 'Unhealthy' && Date.parse(change.at) > begin).length;
  return { parts, words: `${state} now; ${writeFalls(falls)} in the last 24 hours` };
}

function writeFalls(falls: number): string {
  if (falls === 0) return 'never became unhealthy';
  return falls === 1 ? 'became unhealthy once' : `became unhealthy ${falls} times`;
}

const kindOf = (state: TargetView['state']) => state.toLowerCase() as Lowercase<TargetView['state']>;
const round = (value: number) => Math.round(value * 10) / 10;
