// What the end-to-end tests need built from Go modules beside the control plane. It takes minutes, once a machine, and both
// cores: nothing that waits for anything may run meanwhile.
import { ensureCertManager } from '../../src/cli/up/parts/certmanager-build.ts';
import { ensureConformance } from './conformance.ts';
import { ensureExternalDns } from './external-dns.ts';

export async function ensureEndToEndPrograms(progress: (line: string) => void, signal: AbortSignal): Promise<void> {
  await ensureCertManager({ progress, signal });
  await ensureConformance();
  await ensureExternalDns(signal);
}
