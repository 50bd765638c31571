// Builds the Kubernetes programs, while other tests run.
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';

await ensureControlPlane({
  progress: (line) => void process.stdout.write(`${line}\n`),
  signal: new AbortController().signal,
});
