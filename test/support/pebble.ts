// A certificate authority for tests: the Pebble of the local stack, which asks the PowerDNS of a test. It must not know which
// clients there are.
import { join } from 'node:path';
import { ensureCertManager } from '../../src/cli/up/parts/certmanager-build.ts';
import { type Pebble, startPebble as startPart } from '../../src/cli/up/parts/pebble.ts';
import { allocatePorts } from '../../src/cli/up/parts/ports.ts';
import type { Endpoint } from '../../src/nameserver/probe.ts';

/** @param dns the name server that challenges are looked up at */
export async function startPebble(stateDir: string, dns: Endpoint, signal: AbortSignal): Promise<Pebble> {
  const progress = (line: string) => process.stdout.write(`${line}\n`);
  const { dir } = await ensureCertManager({ progress, signal });
  const ports = await allocatePorts([{ name: 'pebble' }, { name: 'pebbleManagement' }], { stateDir });
  const command = join(dir, 'pebble');
  return startPart({ command, stateDir, dns: `${dns.address}:${dns.port}`, ports, signal });
}
