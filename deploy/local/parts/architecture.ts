// The processor architectures of the images, and the names that others give them.

/** As process.arch. */
export type Architecture = 'x64' | 'arm64';

interface Names {
  /** In the platform of an OCI image (the names of Go). */
  oci: string;
  /** dpkg-architecture(1). */
  debian: string;
  /** The folder of Debian's libraries (Debian policy, section 9.1.1). */
  triplet: string;
  /** The dynamic loader that programs name (ABI of the processor). */
  loader: string;
  /** e_machine in the header of an ELF file, elf(5). */
  machine: number;
}

export const ARCHITECTURES: Readonly<Record<Architecture, Names>> = {
  x64: {
    oci: 'amd64',
    debian: 'amd64',
    triplet: 'x86_64-linux-gnu',
    loader: '/lib64/ld-linux-x86-64.so.2',
    machine: 62,
  },
  arm64: {
    oci: 'arm64',
    debian: 'arm64',
    triplet: 'aarch64-linux-gnu',
    loader: '/lib/ld-linux-aarch64.so.1',
    machine: 183,
  },
};

const ALL = Object.keys(ARCHITECTURES) as Architecture[];
/** linux/amd64 */
export const platformName = (architecture: Architecture) => `linux/${ARCHITECTURES[architecture].oci}`;
const NAMED = ALL.map(platformName);

/** The one of this machine. @throws Error when there are no images for it */
export function hostArchitecture(arch: string = process.arch): Architecture {
  const known = ALL.find((each) => each === arch);
  if (known === undefined)
    throw new Error(`This machine is ${arch}, and there are no images for it, but for ${NAMED.join(' and ')}`);
  return known;
}

/** Reads a list of platforms, such as linux/amd64,linux/arm64, in its order. @throws Error that names the platforms */
export function readPlatforms(text: string): Architecture[] {
  const platforms = text.split(',').map((each) => {
    const at = NAMED.indexOf(each.trim());
    if (at === -1)
      throw new Error(
        `--platform ${text}: there are no images for "${each.trim()}". Write ${NAMED.join(', ')}, or both with a comma between them`,
      );
    return ALL[at] as Architecture;
  });
  return [...new Set(platforms)];
}
