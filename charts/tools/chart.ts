// `npm run generate`: writes the generated files of the chart (values.schema.json, dashboard.json, the rules of the
// objectives) and deploy/manifests, which Helm renders. A test compares them.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../deploy/local/parts/commands.ts';
import { ensureHelm } from '../../deploy/local/parts/helm-build.ts';
import { dashboardText } from './dashboard/dashboard.ts';
import { manifestFiles } from './manifests.ts';
import { profileDefaults } from './profiles.ts';
import { sloText } from './slo/rules.ts';
import { readValues } from './value-comments.ts';
import { valuesSchema } from './values-schema.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const CHART = 'charts/zonestead';
const PROFILES = ['small', 'production'];
const MANIFESTS = 'deploy/manifests';
const LIMIT_MS = 60_000;

/** The files that are generated without Helm, by path in the project. */
export async function chartFiles(): Promise<Map<string, string>> {
  const text = await readFile(`${ROOT}${CHART}/values.yaml`, 'utf8');
  const values = readValues(text);
  const profiles = PROFILES.map((name) => readFile(`${ROOT}${CHART}/files/profiles/${name}.yaml`, 'utf8'));
  return new Map([
    [`${CHART}/files/profiles/defaults.json`, profileDefaults(await Promise.all(profiles), text)],
    [`${CHART}/values.schema.json`, valuesSchema(new Map(values.map(({ path, description }) => [path, description])))],
    [`${CHART}/files/dashboard.json`, dashboardText()],
    [`${CHART}/files/alerts/slo.yaml`, sloText()],
  ]);
}

/** The files of deploy/manifests, as Helm renders them now. @throws Error with the message of Helm */
export async function renderedManifests(
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const helm = await ensureHelm({ progress: print, signal });
  const render = async (...args: string[]) => {
    const chart = ['template', 'zonestead', `${ROOT}${CHART}`, '--namespace', 'zonestead', '--no-hooks'];
    const all = [...chart, '--set', 'crds.enabled=false', ...args];
    const { code, out, tail } = await runCommand({ command: helm, args: all, timeoutMs: LIMIT_MS, signal });
    if (code !== 0) throw new Error(tail);
    return out;
  };
  return new Map(Object.entries(manifestFiles(await render())).map(([file, text]) => [`${MANIFESTS}/${file}`, text]));
}

/** Writes the files that differ, and deletes those that are no longer generated. */
export async function runChart(print: (line: string) => void, signal: AbortSignal): Promise<void> {
  // Helm reads the files of the first step.
  await write(await chartFiles(), [], print);
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
