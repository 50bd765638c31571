// The choice of an archive of prebuilt Kubernetes programs from an index of controller-tools.
import { describe, expect, it } from 'vitest';
import { newestArchive } from '../../../../deploy/local/parts/envtest.ts';

const archive = (tag: string, platform: string) => ({
  [`envtest-${tag}-${platform}.tar.gz`]: { hash: 'ab', selfLink: `https://releases.example/${tag}/${platform}` },
});
const index = JSON.stringify({
  releases: {
    'v1.36.9': archive('v1.36.9', 'linux-amd64'),
    'v1.36.10': { ...archive('v1.36.10', 'linux-amd64'), ...archive('v1.36.10', 'linux-arm64') },
    'v1.36.11': archive('v1.36.11', 'darwin-arm64'),
    'v1.36.12-rc.1': archive('v1.36.12-rc.1', 'linux-amd64'),
    'v1.37.0': archive('v1.37.0', 'linux-amd64'),
  },
});

describe('the archive of prebuilt programs', () => {
  it.each(['linux-amd64', 'linux-arm64'])('is the newest patch release of the minor version for %s', (platform) => {
    expect(newestArchive(index, platform, '1.36')).toEqual({
      version: '1.36.10',
      url: `https://releases.example/v1.36.10/${platform}`,
    });
  });

  it('does not exist for an unknown platform or minor version', () => {
    expect(() => newestArchive(index, 'linux-s390x', '1.36')).toThrow(
      'the index has no Kubernetes 1.36 for linux-s390x',
    );
    expect(() => newestArchive(index, 'linux-amd64', '1.35')).toThrow('the index has no Kubernetes 1.35');
  });

  it('is not looked for in an answer that is no index, such as the page of a proxy', () => {
    expect(() => newestArchive('<html>Sign in</html>', 'linux-amd64', '1.36')).toThrow('the index has another form');
  });
});
