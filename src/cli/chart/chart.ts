// `zonestead chart`: brings what is made of other files in step: CRDs in the chart, values.schema.json, the values in its
// README, and deploy/manifests as Helm renders it. A test compares.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { renderCrds } from '../../operator/resources/crd.ts';
import { runCommand } from '../up/parts/commands.ts';
import { ensureHelm } from '../up/parts/helm-build.ts';
import { manifestFiles } from './manifests.ts';
import { withValues } from './readme.ts';
import { readValues } from './value-comments.ts';
import { valuesSchema } from './values-schema.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const CHART = 'charts/zonestead';
export const MANIFESTS = 'deploy/manifests';
const LIMIT_MS = 60_000;

/** Files by path below the project's root that need nothing but other files. */
export async function chartFiles(): Promise<Map<string, string>> {
  const values = readValues(await readFile(`${ROOT}${CHART}/values.yaml`, 'utf8'));
  const readme = await readFile(`${ROOT}${CHART}/README.md`, 'utf8');
  return new Map([
    ...renderCrds().map(({ file, text }) => [`${CHART}/files/crds/${file}`, text] as const),
    [`${CHART}/values.schema.json`, valuesSchema(new Map(values.map(({ path, description }) => [path, description])))],
    [`${CHART}/README.md`, withValues(readme, values)],
  ]);
}

/** deploy/manifests as Helm renders it now. @throws with Helm's words */
export async function renderedManifests(
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const helm = await ensureHelm({ progress: print, signal });
  const render = async (...args: string[]) => {
    const all = ['template', 'zonestead', `${ROOT}${CHART}`, '--namespace', 'zonestead', '--no-hooks', ...args];
    const { code, out, tail } = await runCommand({ command: helm, args: all, timeoutMs: LIMIT_MS, signal });
    if (code !== 0) throw new Error(tail);
    return out;
  };
  return new Map(Object.entries(manifestFiles(await render())).map(([file, text]) => [`${MANIFESTS}/${file}`, text]));
}

/** Writes what differs; files that are no longer made go. */
export async function runChart(print: (line: string) => void, signal: AbortSignal): Promise<void> {
  // The manifests are rendered from what the first step writes.
  await write(await chartFiles(), [`${CHART}/files/crds`], print);
  await write(await renderedManifests(print, signal), [MANIFESTS], print);
}

async function write(
  files: ReadonlyMap<string, string>,
  owned: string[],
  print: (line: string) => void,
): Promise<void> {
  for (const folder of owned) {
    await mkdir(`${ROOT}${folder}`, { recursive: true });
    for (const file of await readdir(`${ROOT}${folder}`)) {
      if (!files.has(`${folder}/${file}`)) await rm(`${ROOT}${folder}/${file}`);
    }
  }
  for (const [path, text] of files) {
    const before = await readFile(`${ROOT}${path}`, 'utf8').catch(() => '');
    if (before === text) continue;
    await writeFile(`${ROOT}${path}`, text);
    print(path);
  }
}
