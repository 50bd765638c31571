// `npm run generate`: writes the files that are made from others: crds/, the chart with deploy/manifests, and pages of
// docs/reference. Tests compare them. `npm run generate -- docs` writes the pages alone.
import { Argument } from 'commander';
import { createProgram } from '#cli/program.ts';

const { command, stop, print, run } = createProgram('generate', 'write the files that are made from others');

/** In their order: the chart contains the CRDs, and the pages describe both. */
const PARTS = {
  crds: async () => (await import('../../charts/tools/crds.ts')).writeCrds(print),
  chart: async () => (await import('../../charts/tools/chart.ts')).runChart(print, stop.signal),
  docs: async () => (await import('../../docs/generate/write.ts')).writePages(print),
} as const;

const names = Object.keys(PARTS) as (keyof typeof PARTS)[];

command
  .addArgument(new Argument('[parts...]', 'the parts to write (default: all)').choices(names))
  .action(async (parts: (keyof typeof PARTS)[]) => {
    for (const name of names) if (parts.length === 0 || parts.includes(name)) await PARTS[name]();
  });

await run();
