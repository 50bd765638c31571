// `npm run crds` and `npm run chart`: write the generated files of crds/, the chart and deploy/manifests. Tests compare them.
import { createProgram } from '#cli/program.ts';

const { command, stop, print, run } = createProgram('charts', 'write the generated files of the chart and crds/');

command
  .command('crds')
  .description('write crds/ from the schemas of the resources')
  .action(async () => {
    const { writeCrds } = await import('./crds.ts');
    await writeCrds(print);
  });

command
  .command('chart')
  .description('write the schema and the dashboard of the chart, and deploy/manifests')
  .action(async () => {
    const { runChart } = await import('./chart.ts');
    await runChart(print, stop.signal);
  });

await run();
