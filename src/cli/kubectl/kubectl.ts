// `zonestead kubectl`, which `kubectl zonestead` runs: the zones and records of Kubernetes on one screen. It reads
// objects, and prints the sections that pure functions make of them.
import { type CommandGroup, describeCommand } from '../command.ts';
import type { ContextOptions } from './cluster.ts';

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
  examples: [
    'kubectl zonestead status -n team-a',
    'kubectl zonestead why -n team-a',
    'kubectl zonestead why zdr/www -n team-a',
    'kubectl zonestead tree shop.example -A',
  ],
  commands: [
    describeCommand({
      name: 'status',
      describe: 'list the zones of a namespace, and the records that are not Ready',
      options: OPTIONS,
      settings: SETTINGS,
      run: async (_, options: ContextOptions, { config, print, signal }) => {
        const { printSections, readOverview, statusSections, withReader } = await loadViews();
        const overview = await withReader(options, config().KUBECONFIG, ({ reader, namespace }) =>
          readOverview(reader, namespace, signal),
        );
        printSections(statusSections(overview), print);
      },
    }),
    describeCommand({
      name: 'tree',
      describe: 'show a zone with its records and the conditions of each',
      arguments: [{ usage: '<zone>', describe: 'name of a DNSZone, or of its zone in DNS' }],
      options: OPTIONS,
      settings: SETTINGS,
      run: async ([zone = ''], options: ContextOptions, { config, print, signal }) => {
        const { printSections, readTrees, treeSections, withReader } = await loadViews();
        const trees = await withReader(options, config().KUBECONFIG, ({ reader, namespace }) =>
          readTrees(reader, zone, namespace, signal),
        );
        printSections(trees.flatMap(treeSections), print);
      },
    }),
    describeCommand({
      name: 'why',
      describe: 'explain why a DNSZone or DNSRecord is not Ready, and what to do next',
      arguments: [
        {
          usage: '[object...]',
          describe: 'NAME, dnszone/NAME or dnsrecord/NAME, also as two words (default: the first one to repair)',
        },
      ],
      options: OPTIONS,
      settings: SETTINGS,
      run: async (words, options: ContextOptions, { config, print, signal }) => {
        const { firstSections, printSections, readFirstToRepair, readObjects, whySections, withReader } =
          await loadViews();
        const sections = await withReader(options, config().KUBECONFIG, async ({ reader, namespace }) =>
          words.length === 0
            ? firstSections(await readFirstToRepair(reader, namespace, signal), namespace)
            : (await readObjects(reader, words, namespace, signal)).flatMap(whySections),
        );
        printSections(sections, print);
      },
    }),
  ],
};

async function loadViews() {
  const modules = await Promise.all([
    import('./cluster.ts'),
    import('./sections.ts'),
    import('./status.ts'),
    import('./tree.ts'),
    import('./why.ts'),
    import('#diagnosis/read-objects.ts'),
  ]);
  const [cluster, sections, status, tree, why, objects] = modules;
  return { ...cluster, ...sections, ...status, ...tree, ...why, ...objects };
}
