// A service whose measured load the test sets, for tests of the load guard.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measurement } from '#http/load/load.ts';
import { startTestService } from './service.ts';

export const CALM: Measurement = { delayMs: 0, heap: 0, resident: 0 };
/** A measurement that leads to level 1, and one that leads to level 2. */
export const ONE: Measurement = { ...CALM, heap: 0.88 };
export const TWO: Measurement = { ...CALM, heap: 0.95 };

export async function startLoadedService(settings: Record<string, string>) {
  let measured = CALM;
  const service = await startTestService({
    nameserver: false,
    meter: { read: () => measured, close: () => undefined },
    settings,
  });
  /** @param series the metric without its prefix, with its labels */
  const value = async (series: string): Promise<number> => {
    const line = (await service.metrics()).split('\n').find((each) => each.startsWith(`zonestead_api_${series} `));
    return Number(line?.split(' ').at(-1));
  };
  /** Sets the measurement, and waits until the guard has this level. */
  const level = async (wanted: number, measurement: Measurement): Promise<void> => {
    measured = measurement;
    while ((await value('load_level')) !== wanted) await sleep(50);
  };
  return { service, value, level };
}
