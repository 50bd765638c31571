// `npm run kind`: a kind cluster with the images, cert-manager and the chart.
import { createProgram } from '#cli/program.ts';
import { runKind } from './kind.ts';

const { command, stop, print, run } = createProgram(
  'kind',
  'create a kind cluster with the images, cert-manager and the chart (needs a container engine)',
);

command.action(async () => {
  process.exitCode = await runKind(print, stop.signal);
});

await run();
