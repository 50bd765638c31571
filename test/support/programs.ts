// Builds the programs that the end-to-end tests need from Go modules and from PyPI in addition to the control plane. The build takes
// minutes, once per machine, and both cores: nothing that waits for a result may run at the same time.
import { ensureCertManager } from '../../deploy/local/parts/certmanager-build.ts';
import { ensureConformance } from './conformance.ts';
import { ensureExternalDns } from './external-dns.ts';
import { ensureAnsibleModule } from './tools/ansible.ts';
import { ensureDnscontrol } from './tools/dnscontrol.ts';
import { ensurePythonTools } from './tools/python.ts';
import { ensureSuites } from './tools/suites.ts';

export async function ensureEndToEndPrograms(progress: (line: string) => void, signal: AbortSignal): Promise<void> {
  await ensureCertManager({ progress, signal });
  await ensureConformance();
  await ensureExternalDns(signal);
  await ensureAnsibleModule(await ensurePythonTools(progress, signal), progress, signal);
  await ensureDnscontrol(progress, signal);
  await ensureSuites(progress, signal);
}
