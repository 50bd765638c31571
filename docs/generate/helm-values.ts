// docs/reference/helm-values.md: the values of the chart, with their defaults and the comments of values.yaml.
import { readFile } from 'node:fs/promises';
import { POD_VALUES, UPDATE_VALUES, WORKLOAD_VALUES } from '../../charts/tools/common-values.ts';
import { readValues, type Value } from '../../charts/tools/value-comments.ts';
import { code, page, paragraph, plain, table } from './markdown.ts';

const VALUES = new URL('../../charts/zonestead/values.yaml', import.meta.url);
const DEPLOYMENTS = ['api', 'operator', 'solver', 'canary'];
const STATEFUL_SETS = ['nameserver', 'edge', 'database.builtin'];
const JOBS = ['bootstrap', 'uninstall', 'test'];

const toRow = ({ path, default: given = '', description }: Value) => [
  code(path),
  given === '' ? '' : code(given),
  plain(description),
];

const names = (components: string[]) => components.map(code).join(', ');

/** A value that only holds others needs a row for its description alone. */
const isShown = (value: Value) => value.default !== undefined || value.description !== '';

export async function helmValuesPage(): Promise<string> {
  const values = readValues(await readFile(VALUES, 'utf8')).filter(isShown);
  const groups = Map.groupBy(values, ({ path }) => (path.includes('.') ? (path.split('.')[0] ?? '') : ''));
  // A value at the top that holds others belongs to its group.
  const single = (groups.get('') ?? []).filter(({ path }) => !groups.has(path));
  const head = (name: string) => (groups.get('') ?? []).filter(({ path }) => path === name);
  const sections = [...groups.keys()]
    .filter((name) => name !== '')
    .map((name) => {
      const rows = [...head(name), ...(groups.get(name) ?? [])].map(toRow);
      return `## ${name}\n\n${table(['value', 'default', 'description'], rows)}`;
    });
  const listRows = (described: typeof POD_VALUES) =>
    Object.entries(described).map(([key, [, words]]) => [code(key), plain(words)]);
  return page(
    'Helm values',
    paragraph(
      'This page lists the values of the chart `zonestead`. [Install with Helm](../how-to/install-helm.md) shows values for production.',
    ),
    '## The whole chart',
    table(['value', 'default', 'description'], single.map(toRow)),
    ...sections,
    '## Every component',
    `Each of ${names([...DEPLOYMENTS, ...STATEFUL_SETS, ...JOBS])} also has these values:`,
    table(['value', 'description'], listRows(POD_VALUES)),
    '## Every Deployment and StatefulSet',
    paragraph(
      `The Deployments ${names(DEPLOYMENTS)} and the StatefulSets ${names(STATEFUL_SETS)} also have these values. ` +
        'The container of knotd has its own probes in `nameserver.knot`.',
    ),
    table(['value', 'description'], listRows({ ...WORKLOAD_VALUES, ...UPDATE_VALUES })),
  );
}
