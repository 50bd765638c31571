// The manifest for krew.
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { krewManifest } from '../../../../deploy/cli/krew.ts';

test('the manifest for krew has the archive of each architecture with its digest, and installs the licenses too', () => {
  const archives = [
    { architecture: 'x64', digest: 'a'.repeat(64) },
    { architecture: 'arm64', digest: 'b'.repeat(64) },
  ] as const;
  const { metadata, spec } = parse(krewManifest('1.2.3', archives, { download: 'https://dns.example.net/v1.2.3/' }));
  // krew runs a plugin by the name of its manifest, and wants a version that begins with v.
  expect([metadata.name, spec.version]).toEqual(['zonestead', 'v1.2.3']);
  expect(
    spec.platforms.map((each: { selector: { matchLabels: object }; uri: string; sha256: string; bin: string }) => [
      each.selector.matchLabels,
      each.uri,
      each.sha256,
      each.bin,
    ]),
  ).toEqual([
    [
      { os: 'linux', arch: 'amd64' },
      'https://dns.example.net/v1.2.3/zonestead-linux-amd64.tar.gz',
      'a'.repeat(64),
      'zonestead',
    ],
    [
      { os: 'linux', arch: 'arm64' },
      'https://dns.example.net/v1.2.3/zonestead-linux-arm64.tar.gz',
      'b'.repeat(64),
      'zonestead',
    ],
  ]);
  for (const { files } of spec.platforms)
    expect(files).toEqual(
      expect.arrayContaining([
        { from: 'zonestead', to: '.' },
        { from: 'LICENSE', to: '.' },
        { from: 'LICENSE-OF-NODE', to: '.' },
      ]),
    );
});
