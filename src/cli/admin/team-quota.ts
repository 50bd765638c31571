// `zonestead teams quota`: shows the quota and the usage of a team, and changes its quota.
import { z } from 'zod';
import { octets } from '#config.ts';
import { adminTeamQuota } from '#service/accounts/team-quota.ts';
import { show } from '../output.ts';
import { table } from '../table.ts';
import { parseOptions } from './keys.ts';

const number = z
  .string()
  .regex(/^[0-9]{1,10}$/, { error: 'must be a whole number' })
  .transform(Number)
  .optional();
const options = z.object({
  zones: number,
  records: number,
  bytes: octets.schema.optional(),
  keys: number,
  members: number,
  default: z.boolean().optional(),
  output: z.enum(['table', 'json', 'yaml']),
});

/** @throws Error if the team does not exist or an option is wrong */
export async function runTeamsQuota(
  config: { DATABASE_URL: string },
  team: string,
  given: unknown,
  print: (line: string) => void,
): Promise<void> {
  const { default: reset = false, output: format, ...numbers } = parseOptions(options, given);
  const shown = await adminTeamQuota(config.DATABASE_URL, team, { reset, numbers }, new Date());
  const rows = Object.entries(shown.quota).map(([kind, { used, own }]) => [
    kind,
    String(used),
    own === null ? "the service's" : String(own),
  ]);
  await show({ format, print }, shown, () => {
    print(`team ${shown.name} (${shown.id})`);
    table(['QUOTA', 'USED', 'LIMIT'], rows, print);
  });
}
