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
    tests: ['test/unit/deploy/image/debian.test.ts'],
  },
  {
    name: 'image-without-licenses',
    breaks: 'the image of the name servers lacks the licenses of the packages in it',
    edits: [{ file: 'deploy/image/images.ts', find: '    await licensesOf(linked, parts),\n', replace: '' }],
    project: 'integration',
    tests: ['test/integration/deploy/image/nameserver.test.ts'],
  },
  {
    name: 'debian-stale-index',
    breaks: 'a build takes the packages of an earlier one, without the security updates since then',
    edits: [{ file: 'deploy/image/debian-root.ts', find: 'refresh = true', replace: 'refresh = false' }],
    project: 'integration',
    tests: ['test/integration/deploy/image/debian-root.test.ts'],
  },
  {
    name: 'image-any-architecture',
    breaks: 'a library of another architecture is in an image',
    edits: [
      {
        file: 'deploy/image/libraries.ts',
        find: 'if (elf?.machine !== machine)',
        replace: 'if (elf === undefined)',
      },
    ],
    project: 'integration',
    tests: ['test/integration/deploy/image/libraries.test.ts'],
  },
  {
    name: 'postgres-other-version',
    breaks: 'the image of Postgres starts on the data of another major version',
    edits: [
      { file: 'deploy/image/start-postgres.sh', find: '[ "$made" != "$major" ]', replace: '[ "$made" != "$made" ]' },
    ],
    project: 'integration',
    tests: ['test/integration/deploy/image/start-postgres.test.ts'],
  },
  {
    name: 'image-two-versions',
    breaks: 'the platforms of an image have different versions of a Debian package',
    edits: [
      {
        file: 'deploy/image/image.ts',
        find: 'if (ours === undefined || ours === version) continue;',
        replace: "if (ours === undefined || ours !== '') continue;",
      },
    ],
    project: 'unit',
    tests: ['test/unit/deploy/image/image.test.ts'],
  },
  {
    name: 'image-no-native-code',
    breaks: 'an image lacks the native code of a package for its architecture',
    edits: [
      { file: 'deploy/image/dependencies.ts', find: 'files.some(isPrebuilt) &&', replace: 'files.length === 0 &&' },
    ],
    project: 'unit',
    tests: ['test/unit/deploy/image/image.test.ts'],
  },
  {
    name: 'npm-any-digest',
    breaks: 'an npm package of another platform is used with another digest than the lock file has',
    edits: [{ file: 'deploy/image/npm-package.ts', find: 'if (digest !== integrity)', replace: "if (digest === '')" }],
    project: 'integration',
    tests: ['test/integration/deploy/image/npm-package.test.ts'],
  },
  {
    name: 'debian-any-mirror',
    breaks: 'packages are looked for although apt reads no mirror of Debian',
    edits: [
      {
        file: 'deploy/local/parts/debian-packages.ts',
        find: 'if (mirror === undefined)',
        replace: "if (mirror === '')",
      },
    ],
    project: 'integration',
    tests: ['test/integration/deploy/local/debian-packages.test.ts'],
  },
  {
    name: 'release-first-platform',
    breaks: 'only the first platform of a published image is compared with the one that was built',
    edits: [
      {
        file: 'deploy/release/publish.ts',
        find: 'archive.images.entries())',
        replace: 'archive.images.slice(0, 1).entries())',
      },
    ],
    project: 'integration',
    tests: ['test/integration/deploy/release/platforms.test.ts'],
  },
  {
    name: 'release-pushes-own-platform',
    breaks: 'a release pushes the platform of its machine alone',
    edits: [{ file: 'deploy/release/registry.ts', find: "'--all', ", replace: '' }],
    project: 'integration',
    tests: ['test/integration/deploy/release/platforms.test.ts'],
  },
  {
    name: 'release-more-platforms',
    breaks: 'a published image with further platforms passes for the one that was built',
    edits: [
      {
        file: 'deploy/release/platforms.ts',
        find: ' || manifests.length !== architectures.length',
        replace: '',
      },
    ],
    project: 'unit',
    tests: ['test/unit/deploy/release/platforms.test.ts'],
  },
  {
    name: 'release-index-unsigned',
    breaks: 'the index of an image has no signature, which clusters verify that pull by its digest',
    edits: [
      {
        file: 'deploy/release/publish.ts',
        find: 'if (top.manifests !== undefined) await',
        replace: "if (top.digest === '') await",
      },
    ],
    ...lying,
  },
];
