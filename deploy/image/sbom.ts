// The software bills of materials of the images, in CycloneDX 1.5: the production packages of the lock file with their
// native code, Node with the libraries inside it, and the Debian packages whose libraries and programs are in the
// image.
//
// It is made from the lock file and not by `npm sbom --omit dev`, which omits packages that development packages also
// need: npm 11.19 omits 18 of the 212 that the image contains, such as yaml, jose and @opentelemetry/api, and names two
// that it does not contain. Without that option it has all packages, but a list of ours would choose among them, and
// the text would change with the version of npm. Two builds of the same files give the same text: it has no serial
// number and no time, both of which are optional in CycloneDX.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { debianPackages, licenseNames, packageUrl } from './debian.ts';
import type { DebianSystem } from './debian-root.ts';
import { productionFiles, productionPackages } from './dependencies.ts';
import type { Parts } from './parts.ts';

interface Component {
  'bom-ref': string;
  type: 'application' | 'container' | 'file' | 'library' | 'platform';
  name: string;
  version?: string;
  purl?: string;
  licenses?: { license: { name: string } }[];
  hashes?: { alg: string; content: string }[];
  components?: Component[];
}

interface Manifest {
  name: string;
  version: string;
  license?: string;
}

/** Packages whose files are copied into the sources: deploy/console/pico.ts. */
const COPIED_PACKAGES = ['node_modules/@picocss/pico'];

/** Entries of process.versions that are not libraries: Node itself, numbers of interfaces, and data. */
const NO_LIBRARIES = new Set(['node', 'modules', 'napi', 'cldr', 'tz', 'unicode']);

/** The architecture of an image, and the Debian system that its libraries come from. */
export type BilledSystem = DebianSystem & Pick<Parts, 'architecture'>;

/**
 * The bill of zonestead and nameserver, as text.
 * @param libraries libraries and programs of Debian that are in the image
 * @throws Error when a package is not installed, or when a library belongs to no Debian package
 */
export async function billOfMaterials(
  project: string,
  system: BilledSystem,
  libraries: readonly string[],
): Promise<string> {
  const integrity = readIntegrity(project);
  const packages = [...productionPackages(project), ...COPIED_PACKAGES].map((folder) =>
    npmComponent(readJson<Manifest>(join(project, folder, 'package.json')), integrity(folder)),
  );
  const addons = [...(await productionFiles(project, '', system.architecture)).keys()].filter((path) =>
    path.endsWith('.node'),
  );
  const manifest = readJson<Manifest>(join(project, 'package.json'));
  return writeBill({ ...npmComponent(manifest, undefined), type: 'application' }, [
    ...packages,
    ...addons.map((path) => fileComponent(path, join(project, path))),
    nodeComponent(),
    ...(await debianComponents(libraries, system)),
  ]);
}

export interface PostgresParts {
  /** Folder of the npm package with the binaries. */
  package: string;
  /** That folder in the lock file. */
  locked: string;
  /** The shared libraries that the package brings. It does not tell their versions, so the bill has their digests. */
  bundled: readonly string[];
  /** Libraries and programs of Debian that are in the image. */
  libraries: readonly string[];
  /** Name and tag of the image. */
  image: { name: string; version: string };
}

/** The bill of the image of Postgres, as text. @throws Error when a library belongs to no Debian package */
export async function billOfPostgres(
  project: string,
  system: BilledSystem,
  { package: folder, locked, bundled, libraries, image }: PostgresParts,
): Promise<string> {
  const binaries = readJson<Manifest>(join(folder, 'package.json'));
  // 18.4.0-beta.17 has Postgres 18.4.
  const version = binaries.version.split('.').slice(0, 2).join('.');
  return writeBill({ 'bom-ref': 'image', type: 'container', ...image }, [
    npmComponent(binaries, readIntegrity(project)(locked)),
    component('application', { name: 'postgresql', version, purl: `pkg:generic/postgresql@${version}` }),
    ...bundled.map((file) => fileComponent(`usr/local/pgsql/lib/${basename(file)}`, file)),
    ...(await debianComponents(libraries, system)),
  ]);
}

function writeBill(about: Component, components: readonly Component[]): string {
  const unique = [...new Map(components.map((each) => [each['bom-ref'], each])).values()];
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: about },
    components: unique.sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}

/** The integrity of each folder in the lock file: sha512-<base64> (Subresource Integrity). */
function readIntegrity(project: string): (folder: string) => string | undefined {
  const lock = readJson<{ packages: Record<string, { integrity?: string }> }>(join(project, 'package-lock.json'));
  return (folder) => lock.packages[folder]?.integrity;
}

function component(
  type: Component['type'],
  { name, version, purl }: { name: string; version: string; purl: string },
): Component {
  return { 'bom-ref': purl, type, name, version, purl };
}

function licenses(names: readonly string[]): Pick<Component, 'licenses'> {
  return names.length === 0 ? {} : { licenses: names.map((name) => ({ license: { name } })) };
}

/** @param integrity the value in the lock file, where CycloneDX wants hexadecimal */
function npmComponent({ name, version, license }: Manifest, integrity: string | undefined): Component {
  const [, sha512] = /^sha512-(\S+)/.exec(integrity ?? '') ?? [];
  return {
    // A scope's @ is written %40 in a package URL (purl specification, npm).
    ...component('library', { name, version, purl: `pkg:npm/${name.replace('@', '%40')}@${version}` }),
    ...licenses(typeof license === 'string' ? [license] : []),
    ...(sha512 === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }] }),
  };
}

/** @param path in the image */
function fileComponent(path: string, file: string): Component {
  const content = createHash('sha256').update(readFileSync(file)).digest('hex');
  return { 'bom-ref': `file:${path}`, type: 'file', name: path, hashes: [{ alg: 'SHA-256', content }] };
}

/**
 * The running Node, whose release the images of all architectures have (node.ts), with the libraries that it tells.
 */
function nodeComponent(): Component {
  const libraries = Object.entries(process.versions)
    .filter(([name, version]) => !NO_LIBRARIES.has(name) && version !== undefined && version !== '')
    .map(([name, version = '']) =>
      component('library', { name, version, purl: `pkg:generic/${name}@${encodeURIComponent(version)}` }),
    );
  const version = process.version.slice(1);
  return {
    ...component('platform', { name: 'node', version, purl: `pkg:generic/node@${version}` }),
    components: libraries.sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
  };
}

async function debianComponents(libraries: readonly string[], system: DebianSystem): Promise<Component[]> {
  const packages = await debianPackages(libraries, system);
  return Promise.all(
    packages.map(async (each) => ({
      ...component('library', { name: each.name, version: each.version, purl: packageUrl(each) }),
      ...licenses(await licenseNames(each, system)),
    })),
  );
}
