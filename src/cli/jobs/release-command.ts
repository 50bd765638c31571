// `zonestead release-finalizers`
import { describeCommand } from '../command.ts';

export const command = describeCommand({
  name: 'release-finalizers',
  describe: 'in a cluster, before an uninstall: stop the operator and remove its finalizers; DNS data stays',
  options: [
    {
      flags: '--workload <kind/name>',
      describe: 'workload with the operator: deployment/… or statefulset/…',
      isRequired: true,
    },
    { flags: '--pods <selector>', describe: 'label selector of the pods of the operator', isRequired: true },
    { flags: '--namespaces <names>', describe: 'comma-separated namespaces (default: all)' },
    { flags: '--timeout <seconds>', describe: 'time to wait for the pods to end', default: '90' },
  ],
  settings: ['ZONESTEAD_LOG_LEVEL', 'KUBECONFIG', 'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT'],
  run: async (_args, options: object, { config, signal }) => {
    const { runRelease } = await import('./run.ts');
    await runRelease(options, config(), signal);
  },
});
