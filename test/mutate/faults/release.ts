// Faults in the release and in its parts: a registry or a server decides about their content.
import type { Fault } from '../fault.ts';

const lying = { project: 'integration', tests: ['test/integration/deploy/release/lying-registry.test.ts'] } as const;

export const RELEASE_FAULTS: readonly Fault[] = [
  {
    name: 'release-signs-the-tag',
    breaks: 'the release signs the digest that the registry tells for its tag',
    edits: [
      {
        file: 'deploy/release/command-line.ts',
        find: "  const repository = registry.repository('cli');\n",
        replace:
          "  const repository = registry.repository('cli');\n  made.digest = (await registry.manifest(reference))?.digest ?? '';\n",
      },
    ],
    ...lying,
  },
  {
    name: 'release-config-alone',
    breaks: 'an image with other layers passes for the one that was built',
    edits: [
      {
        file: 'deploy/release/same-image.ts',
        find: 'if ((await computeDiffId(file, layer.mediaType)) !== diffIds[at]) return false;',
        replace: 'if ((await computeDiffId(file, layer.mediaType)) === null) return false;',
      },
    ],
    ...lying,
  },
  {
    name: 'download-any-digest',
    breaks: 'a download with another digest than the pinned one is used',
    edits: [
      { file: 'deploy/local/parts/pinned-download.ts', find: 'if (actual !== digest)', replace: "if (actual === '')" },
    ],
    project: 'integration',
    tests: ['test/integration/deploy/local/envtest.test.ts'],
  },
  {
    name: 'image-any-node',
    breaks: 'the images get a Node that nodejs.org did not release',
    edits: [
      { file: 'deploy/image/node.ts', find: 'if (digest === pinned) return;', replace: "if (digest !== '') return;" },
    ],
    project: 'unit',
    tests: ['test/unit/deploy/image/node.test.ts'],
  },
  {
    name: 'bill-without-strangers',
    breaks: 'a library of unknown origin is in the image and not in its bill of materials',
    edits: [
      { file: 'deploy/image/debian.ts', find: 'if (strangers.length > 0)', replace: 'if (strangers.length < 0)' },
    ],
    project: 'unit',
    tests: ['test/unit/deploy/image/postgres.test.ts'],
  },
];
