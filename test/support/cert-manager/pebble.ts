// A certificate authority for tests: the Pebble of the local stack, which queries the name server of a test.
import { join } from 'node:path';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { ensureCertManager } from '../../../deploy/local/parts/certmanager-build.ts';
import { type Pebble, startPebble as startPart } from '../../../deploy/local/parts/pebble.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';

/** @param dns the name server that challenges are looked up at */
export async function startPebble(stateDir: string, dns: ProbeEndpoint, signal: AbortSignal): Promise<Pebble> {
  const progress = (line: string) => process.stdout.write(`${line}\n`);
  const { dir } = await ensureCertManager({ progress, signal });
  const ports = await allocatePorts([{ name: 'pebble' }, { name: 'pebbleManagement' }], { stateDir });
  const command = join(dir, 'pebble');
  return startPart({ command, stateDir, dns: `${dns.address}:${dns.port}`, ports, signal });
}
