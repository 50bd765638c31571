// The manifest with which krew, the package manager of kubectl's plugins, installs `kubectl zonestead`. Pure.
// https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/
import { stringify } from 'yaml';
import { ARCHITECTURES, type Architecture } from '../local/parts/architecture.ts';
import { archiveName } from './executable.ts';

/** An archive of the release. */
export interface KrewArchive {
  readonly architecture: Architecture;
  /** SHA-256, in hexadecimal digits. */
  readonly digest: string;
}

/**
 * @param download the address of the folder from which people download the archives
 * @param home the address of the project; absent: the manifest has none
 */
export function krewManifest(
  version: string,
  archives: readonly KrewArchive[],
  { download, home }: { download: string; home?: string | undefined },
): string {
  const base = download.replace(/\/+$/, '');
  return stringify({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'zonestead' },
    spec: {
      version: `v${version}`,
      ...(home === undefined ? {} : { homepage: home }),
      shortDescription: 'Show DNS zones and records, and why one is not Ready',
      description:
        'Shows DNSZones and DNSRecords of Zonestead with their conditions, their name servers and the next command. It changes nothing.',
      platforms: archives.map(({ architecture, digest }) => ({
        selector: { matchLabels: { os: 'linux', arch: ARCHITECTURES[architecture].oci } },
        uri: `${base}/${archiveName(architecture)}`,
        sha256: digest,
        bin: 'zonestead',
        files: ['zonestead', 'LICENSE', 'LICENSE-OF-NODE', 'LICENSES-OF-PACKAGES.txt'].map((from) => ({
          from,
          to: '.',
        })),
      })),
    },
  });
}
