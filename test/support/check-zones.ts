// PowerDNS' own opinion of all zones that it serves.
import { runCommand } from '../../deploy/local/parts/commands.ts';

export interface ZoneCheck {
  /** How many zones were looked at. */
  zones: number;
  /** Lines about errors, and a failure of the program itself. */
  errors: string[];
  /** Contents that are not written as PowerDNS itself would write them. */
  unequal: string[];
  text: string;
}

/** `pdnsutil check-all-zones`. @param folder where pdns.conf is */
export async function checkAllZones(pdnsutil: string, folder: string): Promise<ZoneCheck> {
  const args = [`--config-dir=${folder}`, 'check-all-zones'];
  const { signal } = new AbortController();
  const { code, out, tail } = await runCommand({ command: pdnsutil, args, timeoutMs: 60_000, signal });
  const lines = `${out}\n${tail}`.split('\n');
  const closing = lines.map((line) => /^Checked (\d+) zones, (\d+) had errors\.$/.exec(line)).find((match) => match);
  const errors = lines.filter((line) => line.startsWith('[Error]'));
  if (code !== 0 || closing?.[2] !== '0') errors.push(`pdnsutil ended with ${code}: ${tail}`);
  const unequal = lines.filter((line) => line.includes('Parsed and original record content are not equal'));
  return { zones: Number(closing?.[1] ?? 0), errors, unequal, text: tail };
}
