// `zonestead kubectl`, which `kubectl zonestead` runs: the zones and records of Kubernetes on one screen.
import { type CommandGroup, describeCommand } from '../command.ts';
import type { ContextOptions } from '../kubectl/cluster.ts';
import type { PluginContext } from '../kubectl/run.ts';

const OPTIONS = [
  { flags: '-n, --namespace <name>', describe: 'namespace of the objects (default: that of the context)' },
  { flags: '-A, --all-namespaces', describe: 'objects of all namespaces' },
  { flags: '--context <name>', describe: 'context of the kubeconfig (default: the current one)' },
  { flags: '--kubeconfig <file>', describe: 'the kubeconfig (default: KUBECONFIG, then ~/.kube/config)' },
] as const;
const SETTINGS = ['KUBECONFIG'] as const;

export const command: CommandGroup = {
  name: 'kubectl',
  describe: 'show zones and records as Kubernetes has them; as a plugin of kubectl: kubectl zonestead',
  commands: [
    describeCommand({
      name: 'status',
      describe: 'list the zones of a namespace, and the records that are not Ready',
      options: OPTIONS,
      settings: SETTINGS,
      run: async (_, options: ContextOptions, context) =>
        (await import('../kubectl/run.ts')).runStatus(options, aroundOf(context)),
    }),
    describeCommand({
      name: 'tree',
      describe: 'show a zone with its records and the conditions of each',
      arguments: [{ usage: '<zone>', describe: 'name of a DNSZone, or of its zone in DNS' }],
      options: OPTIONS,
      settings: SETTINGS,
      run: async ([zone = ''], options: ContextOptions, context) =>
        (await import('../kubectl/run.ts')).runTree(zone, options, aroundOf(context)),
    }),
    describeCommand({
      name: 'why',
      describe: 'explain why a DNSZone or DNSRecord is not Ready, and what to do next',
      arguments: [{ usage: '[object...]', describe: 'NAME, dnszone/NAME or dnsrecord/NAME, also as two words' }],
      options: OPTIONS,
      settings: SETTINGS,
      run: async (words, options: ContextOptions, context) =>
        (await import('../kubectl/run.ts')).runWhy(words, options, aroundOf(context)),
    }),
  ],
};

interface Context extends Pick<PluginContext, 'print' | 'signal'> {
  config(): { KUBECONFIG?: string | undefined };
}

const aroundOf = ({ config, print, signal }: Context): PluginContext => ({
  kubeconfig: config().KUBECONFIG,
  print,
  signal,
});
