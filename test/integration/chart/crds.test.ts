// There is one copy of the CustomResourceDefinitions: the packaged chart and the plain manifests contain its files.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { renderCrds } from '#resources/crd.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import { CHART, helm, parseObjects } from '../../support/chart/chart.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const { signal } = new AbortController();
const folder = await mkdtemp(join(tmpdir(), 'zonestead-package-'));
const CRDS = renderCrds();
const crdsOf = (text: string) =>
  parseObjects(text)
    .filter(({ kind }) => kind === 'CustomResourceDefinition')
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

afterAll(() => rm(folder, { recursive: true, force: true }));

test('helm package puts the files themselves into the archive, not a link', async () => {
  expect(await helm('package', CHART, '--destination', folder)).toMatchObject({ ok: true });
  const run = { timeoutMs: 100_000, signal };
  const archive = join(folder, `zonestead-${await chartVersion()}.tgz`);
  const { code } = await runCommand({ ...run, command: 'tar', args: ['-xzf', archive, '-C', folder] });
  expect(code).toBe(0);
  for (const { file, text } of CRDS) {
    expect(await readFile(join(folder, 'zonestead/files/crds', file), 'utf8')).toBe(text);
  }
  const { out } = await helm('template', 'zonestead', archive);
  expect(crdsOf(out)).toHaveLength(CRDS.length);
});

test('kubectl kustomize deploy/manifests renders each CustomResourceDefinition once', async () => {
  const { dir } = await ensureControlPlane({ progress: () => undefined, signal });
  const { code, out } = await runCommand({
    command: join(dir, 'kubectl'),
    args: ['kustomize', `${ROOT}deploy/manifests`],
    timeoutMs: 150_000,
    signal,
  });
  expect(code).toBe(0);
  expect(crdsOf(out)).toEqual(crdsOf(CRDS.map(({ text }) => text).join('\n---\n')));
});

async function chartVersion(): Promise<string> {
  const [chart] = parseObjects(await readFile(`${CHART}/Chart.yaml`, 'utf8'));
  return String((chart as unknown as { version: string }).version);
}
