// The text that `helm install` prints: warnings, the first objects, and links to the pages.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHART, helm, parseObjects } from '../../support/chart/chart.ts';
import { VALUE_SETS } from '../../support/chart/chart-values.ts';

test('NOTES warn of settings for evaluation only, and show valid objects', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-notes-'));
  const notes = async (values: object) => {
    const file = join(folder, 'values.json');
    await writeFile(file, JSON.stringify(values));
    const { out } = await helm('install', 'zonestead', CHART, '-n', 'dns', '--dry-run=client', '--values', file);
    return out.slice(out.indexOf('NOTES:'));
  };
  try {
    const trial = await notes({});
    expect(trial.match(/^WARNING: \S+/gm)).toEqual([
      'WARNING: global.imageRegistry',
      'WARNING: database.mode',
      'WARNING: nameservers',
      'WARNING: api.resolvers',
    ]);
    const shown = /<<'EOF'\n([\s\S]*?)\n {2}EOF/.exec(trial)?.[1]?.replace(/^ {2}/gm, '') ?? '';
    expect(parseObjects(shown).map(({ kind, spec }) => [kind, spec.zoneName ?? spec.zoneRef.name])).toEqual([
      ['DNSZone', 'mine.example'],
      ['DNSRecord', 'mine'],
    ]);
    expect(await notes(VALUE_SETS.production ?? {})).not.toContain('WARNING');
    expect(trial).toContain('Next: docs/how-to/first-user-and-keys.md\n');
    const published = await notes({ docsUrl: 'https://docs.example.net/0.1/' });
    expect(published).toContain('Next: https://docs.example.net/0.1/how-to/first-user-and-keys.html\n');
    expect(published).not.toMatch(/docs\/[\w/-]+\.md/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
