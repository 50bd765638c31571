// Programs that only some lanes need, built from Go modules and from PyPI. A build takes minutes, once per machine, and
// both cores: nothing that waits for a result may run at the same time.
import { ensureCertManager } from '../../../deploy/local/parts/certmanager-build.ts';
import { ensureConformance } from '../cert-manager/conformance.ts';
import { ensureCloudNativePg } from '../cloudnativepg/build.ts';
import { ensureExternalDns } from '../external-dns/external-dns.ts';
import { ensureAnsibleModule } from '../tools/ansible.ts';
import { ensureDnscontrol } from '../tools/dnscontrol.ts';
import { ensurePythonTools } from '../tools/python.ts';
import { ensureSuites } from '../tools/suites.ts';
import { LANES, type Lane, type LaneName } from './lanes.ts';

export type Program =
  | 'cert-manager'
  | 'cloudnativepg'
  | 'conformance'
  | 'external-dns'
  | 'python'
  | 'dnscontrol'
  | 'go-suites';

type Progress = (line: string) => void;

const BUILDERS: Readonly<Record<Program, (progress: Progress, signal: AbortSignal) => Promise<unknown>>> = {
  'cert-manager': (progress, signal) => ensureCertManager({ progress, signal }),
  cloudnativepg: ensureCloudNativePg,
  conformance: () => ensureConformance(),
  'external-dns': (_progress, signal) => ensureExternalDns(signal),
  python: async (progress, signal) => ensureAnsibleModule(await ensurePythonTools(progress, signal), progress, signal),
  dnscontrol: ensureDnscontrol,
  'go-suites': ensureSuites,
};

/** Builds what these lanes need, one program after the other. @throws with the missing part and how to get it */
export async function ensureLanePrograms(
  lanes: readonly LaneName[],
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const wanted = new Set(lanes.flatMap((name) => (LANES[name] as Lane).programs));
  for (const program of wanted) await BUILDERS[program](progress, signal);
}
