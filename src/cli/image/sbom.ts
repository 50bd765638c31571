// The software bill of materials of the zonestead image, in CycloneDX: npm's own of the production packages, and the Debian
// packages whose libraries are in the image. It must not know how the image is built.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { findCommand, runCommand } from '../up/parts/commands.ts';

const LIMIT_MS = 60_000;

interface Component {
  type: string;
  name: string;
  version: string;
  purl: string;
  'bom-ref'?: string;
}

/**
 * As text. Two builds of the same files give the same: npm's random serial number and its time are left out (both are
 * optional in CycloneDX 1.5).
 * @param libraries files of this machine that are in the image
 * @throws with npm's words
 */
export async function billOfMaterials(
  project: string,
  libraries: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev', '--package-lock-only'];
  const { code, out, tail } = await runCommand({ command: 'npm', args, cwd: project, timeoutMs: LIMIT_MS, signal });
  if (code !== 0) throw new Error(`npm sbom failed:\n${tail}`);
  const bill = JSON.parse(out) as {
    serialNumber?: string;
    metadata: { timestamp?: string; component: { name: string } };
    components: Component[];
  };
  delete bill.serialNumber;
  delete bill.metadata.timestamp;
  // npm calls it after the folder of the checkout.
  const manifest = createRequire(import.meta.url)(join(project, 'package.json')) as { name: string };
  bill.metadata.component.name = manifest.name;
  const platform = `node-linux-${process.arch}`;
  bill.components = bill.components.filter(({ name }) => !name.startsWith('node-linux-') || name === platform);
  bill.components.push(...(await debianPackages(libraries, signal)));
  return `${JSON.stringify(bill, null, 2)}\n`;
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
