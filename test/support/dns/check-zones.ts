// The opinion of others about whole zones as they are served: ldns parses each zone and verifies its signatures and its
// chain of NSEC records.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { KnotControl } from '#nameserver/knot/control.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';

export interface ZoneCheck {
  /** The number of zones. */
  zones: number;
  /** The verdicts of ldns on zones that it does not accept. */
  errors: string[];
}

const { signal } = new AbortController();

/** All records of a zone, as a zone file: the contents that knotd transfers. */
export async function zoneText(control: KnotControl, zone: string): Promise<string> {
  const items = await control.run('zone-read', { zone });
  return items.map(({ owner, ttl, type, data }) => `${owner} ${ttl} IN ${type} ${data?.trim()}\n`).join('');
}

/** The verdict of ldns on a signed zone. @param folder for the file */
export async function verifyZone(text: string, folder: string): Promise<string> {
  const file = join(folder, 'zone');
  await writeFile(file, text);
  const args = ['-V', '3', file];
  return (await runCommand({ command: inject('tools').ldnsVerifyZone, args, timeoutMs: 60_000, signal })).tail;
}

/** Verifies all zones of a knotd. */
export async function checkAllZones(control: KnotControl, folder: string): Promise<ZoneCheck> {
  const found = await control.run('zone-status');
  const zones = [...new Set(found.flatMap(({ zone }) => (zone === undefined ? [] : [zone])))];
  const errors: string[] = [];
  for (const zone of zones) {
    const verdict = await verifyZone(await zoneText(control, zone), folder);
    if (!/Zone is verified and complete/.test(verdict)) errors.push(`${zone}: ${verdict}`);
  }
  return { zones: zones.length, errors };
}
