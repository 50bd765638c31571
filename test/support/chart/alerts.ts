// The files of the rules of Prometheus in the chart, and their cases.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

const ROOT = new URL('../../..', import.meta.url).pathname;
export const RULES = 'charts/zonestead/files/alerts';
export const CASES = 'deploy/observability';

export interface AlertRule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: Record<string, string>;
}

export interface RecordRule {
  record: string;
  expr: string;
}

/** The files of the rules in the order of the page of alerts, from the root of the project. */
export const RULE_FILES = [
  'slo',
  'nameserver',
  'edge',
  'nodes',
  'api',
  'database',
  'cnpg',
  'operator',
  'solver',
  'processes',
].map((name) => `${RULES}/${name}.yaml`);

export async function caseFiles(): Promise<string[]> {
  return (await readdir(join(ROOT, CASES)))
    .filter((name) => name.endsWith('.test.yaml'))
    .map((name) => `${CASES}/${name}`);
}

/** The rules of these files, in their order. If omitted, of all files. */
export async function readRules(files: readonly string[] = RULE_FILES): Promise<(AlertRule | RecordRule)[]> {
  const groups = await Promise.all(
    files.map(async (file) => parse(await readFile(join(ROOT, file), 'utf8')) as { groups: { rules: AlertRule[] }[] }),
  );
  return groups.flatMap((file) => file.groups.flatMap(({ rules }) => rules));
}

export async function readAlerts(files?: readonly string[]): Promise<AlertRule[]> {
  return (await readRules(files)).filter((rule): rule is AlertRule => 'alert' in rule);
}
