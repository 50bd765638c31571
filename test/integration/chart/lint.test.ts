// kube-linter on the chart with every set of values, and on the manifests in deploy/: it finds only deliberate
// exceptions.
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseObjects, template } from '../../support/chart/chart.ts';
import { VALUE_SETS } from '../../support/chart/chart-values.ts';
import { type Finding, lint } from '../../support/chart/kube-linter.ts';

const DEPLOY = new URL('../../../deploy', import.meta.url).pathname;
const PLAIN = ['manifests', 'operator', 'solver', 'examples', 'examples/gitops'] as const;
const sets = Object.entries(VALUE_SETS);

/** A fault in the rendered defaults, and the check that must find it: one for each kind of check, and our own. */
const WORSE: readonly (readonly [check: string, line: RegExp, instead: string])[] = [
  ['no-read-only-root-fs', /readOnlyRootFilesystem: true/, 'readOnlyRootFilesystem: false'],
  ['no-memory-request-or-limit', /(requests:\s+cpu: \w+)\s+memory: \w+/, '$1'],
  ['secret-in-clear-text', /name: ZONESTEAD_API_KEY_FILE, value: .*\}/, 'name: ZONESTEAD_API_KEY, value: yk_1 }'],
  ['no-liveness-probe', /livenessProbe:/, 'notProbe:'],
  ['non-existent-service-account', /serviceAccountName: \S+/, 'serviceAccountName: other'],
  ['wildcard-in-rules', /verbs: \[.*\]/, 'verbs: ["*"]'],
];

let root: string;
let found: readonly Finding[] = [];
const policies = new Set<string>();

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'zonestead-lint-'));
  const place = async (folder: string, text: string) => {
    await mkdir(join(root, folder));
    await writeFile(join(root, folder, 'objects.yaml'), text);
  };
  for (const [at, [, values]] of sets.entries()) {
    const { text } = await template(values);
    const names = parseObjects(text).filter(({ kind }) => kind === 'NetworkPolicy');
    if (names.some(({ metadata }) => !/-(postgres|health)$/.test(metadata.name))) policies.add(`set-${at}`);
    await place(`set-${at}`, text);
  }
  const { text } = await template({});
  for (const [check, line, instead] of WORSE) await place(`worse-${check}`, text.replace(line, instead));
  for (const folder of PLAIN) {
    // With a kustomization, kube-linter would name no file. Pipelines are not Kubernetes objects.
    const filter = (path: string) => !/\/(kustomization\.yaml|pipelines)$/.test(path);
    await cp(join(DEPLOY, folder), join(root, 'deploy', folder), { recursive: true, filter });
  }
  found = await lint(root, new AbortController().signal);
});
afterAll(async () => rm(root, { recursive: true, force: true }));

/**
 * A pod that runs to completion needs no probes. Without values for them, only the built-in Postgres and the health
 * ports have one.
 */
const onPurpose = ({ check, kind, name, folder, message }: Finding) =>
  // The controller of StatefulSets adds the label that such a Service selects.
  (check === 'dangling-service' && /-(nameserver|edge)-\d$/.test(name)) ||
  // The metrics of an edge, without which its knotd answers as well.
  (check === 'no-readiness-probe' && /-edge$/.test(name) && message.startsWith('container "metrics"')) ||
  (/^no-(liveness|readiness)-probe$/.test(check) && ['Job', 'CronJob', 'Pod'].includes(kind)) ||
  (check === 'non-isolated-pod' && !policies.has(folder));
const findings = (folder: string) => found.filter((each) => each.folder === folder && !onPurpose(each));

test.each(sets.map(([what], at) => [what, `set-${at}`]))('%s: kube-linter finds nothing', (_what, folder) => {
  expect(findings(folder)).toEqual([]);
});

test.each(PLAIN)('deploy/%s: kube-linter finds nothing', (folder) => {
  expect(findings(`deploy/${folder}`)).toEqual([]);
});

test.each(WORSE)('kube-linter finds the fault %s', (check) => {
  expect([...new Set(findings(`worse-${check}`).map((each) => each.check))]).toContain(check);
});
