// The software bill of materials of the images zonestead and nameserver, in CycloneDX 1.5: the production packages of the lock file,
// Node, and the Debian packages whose libraries and programs are in the image.
//
// It is made from the lock file and not by `npm sbom`, which omits packages that are also a peer of a development
// package (npm 11: yaml, @opentelemetry/api). Two builds of the same files give the same text: it has no serial number
// and no time, both of which are optional in CycloneDX.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCommand, runCommand } from '../local/parts/commands.ts';
import { productionPackages } from './dependencies.ts';

const LIMIT_MS = 60_000;

interface Component {
  'bom-ref': string;
  type: 'application' | 'library' | 'platform';
  name: string;
  version: string;
  purl: string;
  licenses?: { license: { name: string } }[];
  hashes?: { alg: string; content: string }[];
}

interface Manifest {
  name: string;
  version: string;
  license?: string;
}

/**
 * As text.
 * @param libraries libraries and programs of this machine that are in the image
 * @throws when a package is not installed
 */
export async function billOfMaterials(
  project: string,
  libraries: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const lock = readJson<{ packages: Record<string, { integrity?: string }> }>(join(project, 'package-lock.json'));
  const manifest = readJson<Manifest>(join(project, 'package.json'));
  const packages = productionPackages(project).map((folder) =>
    npmComponent(readJson<Manifest>(join(project, folder, 'package.json')), lock.packages[folder]?.integrity),
  );
  const node = process.version.slice(1);
  const components: Component[] = [
    ...packages,
    { 'bom-ref': 'node', type: 'platform', name: 'node', version: node, purl: `pkg:generic/node@${node}` },
    ...(await debianPackages(libraries, signal)),
  ];
  const unique = [...new Map(components.map((component) => [component['bom-ref'], component])).values()];
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { ...npmComponent(manifest, undefined), type: 'application' } },
    components: unique.sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}

/**
 * @param integrity the value in the lock file: sha512-<base64> (Subresource Integrity), where CycloneDX wants
 * hexadecimal
 */
function npmComponent({ name, version, license }: Manifest, integrity: string | undefined): Component {
  // A scope's @ is written %40 in a package URL (purl specification, npm).
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [, sha512] = /^sha512-(\S+)/.exec(integrity ?? '') ?? [];
  return {
    'bom-ref': purl,
    type: 'library',
    name,
    version,
    purl,
    ...(typeof license === 'string' ? { licenses: [{ license: { name: license } }] } : {}),
    ...(sha512 === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }] }),
  };
}

/** None where dpkg is not: then the libraries' packages cannot be told. */
async function debianPackages(libraries: readonly string[], signal: AbortSignal): Promise<Component[]> {
  const dpkg = findCommand('dpkg-query');
  if (dpkg === undefined || libraries.length === 0) return [];
  // Debian's merged /usr: the package may list a file below /lib or below /usr/lib, whichever way the loader found it.
  const paths = libraries.flatMap((file) => [file, file.startsWith('/usr/') ? file.slice(4) : `/usr${file}`]);
  const found = await runCommand({ command: dpkg, args: ['--search', ...paths], timeoutMs: LIMIT_MS, signal });
  const owners = new Set([...found.out.matchAll(/^([a-z0-9.+-]+(?::\w+)?): \//gm)].map(([, owner]) => owner as string));
  if (owners.size === 0) return [];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query fills these in.
  const format = '-f=${Package} ${Version} ${Architecture}\\n';
  const shown = await runCommand({
    command: dpkg,
    args: ['--show', format, ...owners],
    timeoutMs: LIMIT_MS,
    signal,
  });
  return shown.out.split('\n').flatMap((line) => {
    const [name, version, architecture] = line.split(' ');
    if (name === undefined || version === undefined) return [];
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`;
    return [{ 'bom-ref': purl, type: 'library', name, version, purl }];
  });
}
