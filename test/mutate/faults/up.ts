// Faults in `npm run up`: its options and what it starts.
import type { Fault } from '../fault.ts';

export const UP_FAULTS: readonly Fault[] = [
  {
    name: 'up-without-and-with-kubernetes',
    breaks: '--without-kubernetes is accepted together with an option that needs Kubernetes',
    edits: [
      {
        file: 'deploy/local/options.ts',
        find: 'parsed.data.certManager || given.kubeconfig !== undefined',
        replace: 'given.kubeconfig !== undefined',
      },
    ],
    project: 'unit',
    tests: ['test/unit/deploy/local/options.test.ts'],
  },
  {
    name: 'up-always-kubernetes',
    breaks: '--without-kubernetes starts Kubernetes',
    edits: [
      {
        file: 'deploy/local/up.ts',
        find: 'await (kubernetes ? beginStack(settings) : serveStack(settings))',
        replace: 'await (kubernetes ? beginStack(settings) : beginStack(settings))',
      },
    ],
    project: 'integration',
    tests: ['test/integration/parts/up-without-kubernetes.test.ts'],
  },
];
