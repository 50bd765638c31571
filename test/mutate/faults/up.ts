// Faults in `npm run up`: its options, its build of Kubernetes, and the controllers that it runs.
import type { Fault } from '../fault.ts';

const CONSTRUCTORS = 'deploy/local/controlplane/controllers/constructors.go';
const controllers = { project: 'integration', tests: ['test/integration/deploy/local/controllers.test.ts'] } as const;
const estimate = { project: 'unit', tests: ['test/unit/deploy/local/go-estimate.test.ts'] } as const;

export const UP_FAULTS: readonly Fault[] = [
  {
    name: 'up-estimate-by-number',
    breaks: 'the estimate of a build gives all packages the same cost',
    edits: [
      {
        file: 'deploy/local/parts/go-estimate.ts',
        find: 'bytes + BYTES_PER_PACKAGE + BYTES_PER_DEPENDENCY * dependencies;',
        replace: 'bytes * 0 + BYTES_PER_PACKAGE + BYTES_PER_DEPENDENCY * dependencies * 0;',
      },
    ],
    ...estimate,
  },
  {
    name: 'up-estimate-at-once',
    breaks: 'the first seconds of a build give an estimate',
    edits: [
      {
        file: 'deploy/local/parts/go-estimate.ts',
        find: 'seconds < FIRST_ESTIMATE_SECONDS || ',
        replace: '',
      },
    ],
    ...estimate,
  },
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
    tests: ['test/integration/deploy/local/up-without-kubernetes.test.ts'],
  },
  {
    name: 'up-controllers-share-an-account',
    breaks: 'a controller works with the rights of another one',
    edits: [
      {
        file: CONSTRUCTORS,
        find: 's.accounts.Client("clusterrole-aggregation-controller")',
        replace: 's.accounts.Client("namespace-controller")',
      },
    ],
    ...controllers,
  },
  {
    name: 'up-controllers-leave-garbage',
    breaks: 'objects of a deleted owner stay',
    edits: [{ file: CONSTRUCTORS, find: 'go c.Sync(ctx, discovery, discoveryPeriod)\n', replace: '_ = discovery\n' }],
    ...controllers,
  },
];
