// `zonestead crds`
import { describeCommand } from './command.ts';

export const command = describeCommand({
  name: 'crds',
  describe: 'print the CustomResourceDefinitions of this version, for kubectl apply',
  examples: ['zonestead crds | kubectl apply --server-side -f -'],
  run: async (_args, _options, { print }) => {
    const { renderCrds } = await import('#resources/crd.ts');
    // One YAML stream, ready for `kubectl apply -f -`.
    print(
      renderCrds()
        .map(({ text }) => text.trimEnd())
        .join('\n---\n'),
    );
  },
});
