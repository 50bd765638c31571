// Joins the rooms that the api process consists of: the REST API, the resolver for ALIAS targets and delegations, and the console.
// The rooms do not import each other; this file hands the parts over, and loads them only when the process starts.
import type { ApiParts } from '#api/compose.ts';
import { API_SETTINGS } from '#api/settings.ts';
import type { Config } from '#config.ts';
import { CONSOLE_SETTINGS } from '#console/settings.ts';
import { OUTSIDE_SETTINGS } from '#nameserver/settings.ts';

/** The settings of the command `api`. */
export const API_PROCESS_SETTINGS = [...API_SETTINGS, ...OUTSIDE_SETTINGS, ...CONSOLE_SETTINGS] as const;

/**
 * The parts that the api gets from other rooms. An api without a console loads none of the console's modules.
 * @param now Unix time in ms
 * @throws Error when settings of the console contradict each other
 */
export async function partsOfApi(
  config: Config<(typeof OUTSIDE_SETTINGS)[number] | (typeof CONSOLE_SETTINGS)[number]>,
  now: () => number = Date.now,
): Promise<ApiParts> {
  const { createOutside } = await import('#nameserver/resolver/outside.ts');
  const { live, ...world } = createOutside(config, now);
  if (!config.ZONESTEAD_CONSOLE) return world;
  const { createConsole } = await import('#console/plugin.ts');
  return { ...world, console: createConsole(config, live) };
}
