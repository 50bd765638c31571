// The alert rules as files, judged by promtool and held against what they belong to: a runbook for every alert, a case
// that fires and one that does not.
import { readFile } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../../../deploy/local/parts/commands.ts';

const ROOT = new URL('../../..', import.meta.url).pathname;
const ALERTS = 'charts/zonestead/files/alerts.yaml';
const CASES = 'deploy/observability/alerts.test.yaml';
const { signal } = new AbortController();

const read = (file: string) => readFile(`${ROOT}/${file}`, 'utf8');

interface Rule {
  alert: string;
  labels: { severity: string };
  annotations: Record<string, string>;
}

async function rules(): Promise<Rule[]> {
  const { groups } = parse(await read(ALERTS)) as { groups: { rules: Rule[] }[] };
  return groups.flatMap((group) => group.rules);
}

async function promtool(...args: string[]): Promise<string> {
  const { code, tail } = await runCommand({
    command: inject('peers').promtool,
    args,
    cwd: ROOT,
    timeoutMs: 60_000,
    signal,
  });
  return code === 0 ? 'fine' : tail;
}

test('the rules are well formed, and fire and keep quiet as their cases say', async () => {
  expect(await promtool('check', 'rules', ALERTS)).toBe('fine');
  expect(await promtool('test', 'rules', CASES)).toBe('fine');
});

test('every alert has a case in which it fires and one in which it must not', async () => {
  interface Case {
    input_series: { series: string }[];
    promql_expr_test: { expr: string; exp_samples: { labels: string }[] }[];
  }
  const { tests } = parse(await read(CASES)) as { tests: Case[] };
  const by = Map.groupBy(tests, ({ promql_expr_test: [first] }) => /alertname="(\w+)"/.exec(first?.expr ?? '')?.[1]);
  expect([...by.keys()].sort()).toEqual((await rules()).map(({ alert }) => alert).sort());
  for (const [alert, cases] of by) {
    const fires = cases.some(({ promql_expr_test: [first] }) => (first?.exp_samples.length ?? 0) > 0);
    // Alerts about absence have a case of their own for it; the others have one healthy series in the same case.
    const quiet = cases.some(
      ({ promql_expr_test: [first], input_series: series }) => (first?.exp_samples.length ?? 0) < series.length,
    );
    expect([alert, fires, quiet]).toEqual([alert, true, true]);
  }
});

test('no alert and no runbook has “stopped” with an infinitive, which means the opposite', async () => {
  const texts = (await rules()).flatMap(({ annotations }) => [
    annotations.summary ?? '',
    annotations.description ?? '',
  ]);
  for (const text of [...texts, await read('docs/reference/alerts.md')])
    expect(/\bstop(s|ped)? to \w+/.exec(text)?.[0] ?? null).toBeNull();
});

test('every alert has its runbook, and every runbook its alert', async () => {
  const text = await read('docs/reference/alerts.md');
  const sections = new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const [title = '', ...body] = section.split('\n');
        return [title.trim(), body.join('\n')] as const;
      }),
  );
  const all = await rules();
  expect([...sections.keys()]).toEqual(all.map(({ alert }) => alert));
  for (const { alert, labels, annotations } of all) {
    expect(annotations).toEqual({
      summary: expect.any(String),
      description: expect.any(String),
      runbook_url: `alerts.md#${alert.toLowerCase()}`,
    });
    expect(['critical', 'warning', 'info']).toContain(labels.severity);
    const parts = [...(sections.get(alert) ?? '').matchAll(/^\*\*(\w+)\.\*\* \S/gm)].map(([, part]) => part);
    expect([alert, parts]).toEqual([alert, ['Meaning', 'Impact', 'Diagnosis', 'Mitigation']]);
  }
});
