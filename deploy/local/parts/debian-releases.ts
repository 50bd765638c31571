// The releases of Debian whose packages are fetched without an installation.

export interface DebianRelease {
  /** In os-release(5): VERSION_ID. */
  readonly version: string;
  /** In sources.list(5). */
  readonly suites: readonly { readonly mirror: Archive; readonly suite: string }[];
}

/** The names of Debian's archives, with which the addresses of their mirrors end. */
export type Archive = 'debian' | 'debian-security';

export const KEYRING = {
  file: '/usr/share/keyrings/debian-archive-keyring.gpg',
  package: 'debian-archive-keyring',
} as const;

/** The images contain its packages; its Knot DNS is 3.4. */
export const DEBIAN_13: DebianRelease = createRelease('13', 'trixie');

function createRelease(version: string, suite: string): DebianRelease {
  return {
    version,
    suites: [
      { mirror: 'debian', suite },
      { mirror: 'debian', suite: `${suite}-updates` },
      { mirror: 'debian-security', suite: `${suite}-security` },
    ],
  };
}
