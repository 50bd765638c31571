// How a page is read: its commands, their shown output, and the parts of it that may differ.
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, test } from 'vitest';
import { toAnchor } from '../../../docs/site/anchors.ts';
import { isCommand, listCommands } from '../../support/docs/commands.ts';
import { parsePage } from '../../support/docs/document.ts';
import { notesCommands } from '../../support/docs/notes.ts';
import { PLAN, type ScenarioName } from '../../support/docs/plan.ts';
import * as PROOFS from '../../support/docs/proofs.ts';
import { follow, typed } from '../../support/docs/reader.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { openShell } from '../../support/docs/shell.ts';
import { complaint, type Ids, withIds } from '../../support/docs/shown.ts';

const fenced = (language: string, ...lines: string[]) => ['```'.concat(language), ...lines, '```', ''].join('\n');
const page = (...parts: string[]) => parsePage('page.md', parts.join('\n'));
const texts = (...parts: string[]) => listCommands(page(...parts)).map(({ text, shown }) => [text, shown]);

test('commands of a page in a sh block are its lines, with continuation lines, a here-document, and indented output', () => {
  const lines = ['# no', 'one \\', '  --more', '  shown', "two <<'EOF'", '  inner', '', 'EOF', 'three'];
  expect(texts(fenced('sh', ...lines))).toEqual([
    ['one \\\n  --more', ['shown']],
    ["two <<'EOF'\n  inner\n\nEOF", []],
    ['three', []],
  ]);
});

test('commands of a page in a console block are the lines after a prompt, with the lines that are shown', () => {
  expect(texts(fenced('console', '$ one', 'out', '  more', '', '$ two'))).toEqual([
    ['one', ['out', '  more']],
    ['two', []],
  ]);
});

test('commands of a page in backticks begin with a program and have an argument', () => {
  expect(texts('Type `kubectl get zdz`, not `kubectl`; in a table:\n\n| a |\n| - |\n| `dig x \\| grep y` |')).toEqual([
    ['kubectl get zdz', []],
    ['dig x | grep y', []],
  ]);
  expect(['A=b lego run', 'spec.acme: {}', 'GET /zones', 'select 1'].map(isCommand)).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test('commands of a page in a block of no language, or of a strange one, are refused', () => {
  expect(() => texts(fenced('', '$ one'))).toThrow('not of language console');
  expect(() => texts(fenced('bash', 'one'))).toThrow('language bash');
});

test('commands of a page in the text that helm prints are the indented lines, and the ends of lines after a colon', () => {
  const notes =
    "A zone:\n\n  kubectl apply -f - <<'EOF'\n  a: b\n  EOF\n\nREST: http://x/v1\nCheck it: helm test r -n n";
  expect(notesCommands(notes)).toEqual(["kubectl apply -f - <<'EOF'\na: b\nEOF", 'helm test r -n n']);
});

test('commands of a page have files that the sentence before a block names', () => {
  const { blocks } = page('Write `mine.yaml`:', '', fenced('yaml', 'a: b'), 'Else', '', fenced('yaml', 'c: d'));
  expect(blocks.map(({ file }) => file)).toEqual(['mine.yaml', undefined]);
});

test('anchors are those of GitHub', () => {
  expect(['The REST service', 'What is `x`, then?', 'A–B_c'].map(toAnchor)).toEqual([
    'the-rest-service',
    'what-is-x-then',
    'ab_c',
  ]);
});

const ids = (): Ids => new Map();

test('the shown output may have other ids, times, ports, key tags and widths, and nothing else', () => {
  const shown = ['zone_0a1b2c3d4e5f  x   16170  127.0.0.1:80  5.6 s'];
  expect(complaint(shown, 'zone_ffffffffffff x 7 127.0.0.1:443 12 s\n', ids())).toBeUndefined();
  expect(complaint(shown, 'zone_ffffffffffff y 7 127.0.0.1:443 12 s', ids())).toContain('the page shows');
  expect(complaint(['a 3600 A 192.0.2.1'], 'a 60 A 192.0.2.1', ids())).toContain('the output was');
  expect(complaint(['a'], 'a\nb', ids())).toContain('the output was');
});

test('the shown output ignores text in place of "…"', () => {
  expect(complaint(['{"id":"…","a":1}'], '{"id":"xyz","a":1}', ids())).toBeUndefined();
  expect(complaint(['a', '…', 'd', '…'], 'a\nb\nc\nd', ids())).toBeUndefined();
  expect(complaint(['a', '…', 'd'], 'a\nb\nc', ids())).toContain('the output was');
  expect(complaint(['…'], 'a\nb', ids())).toBeUndefined();
  expect(complaint(['…'], '\n', ids())).toBe('the page shows output, and none came');
});

test('the shown output gives the ids that came to later commands', () => {
  const learned = ids();
  complaint(['key 70adf9caf16b of team_8aebc9a3df33'], 'key 0123456789ab of team_ffffffffffff', learned);
  complaint(['5a0cf6ba-3c9f-4c8c-9a52-4d1c9a2f9a0e'], '11111111-2222-3333-4444-555555555555', learned);
  expect(withIds('revoke 70adf9caf16b; grep 5a0cf6ba', learned)).toBe('revoke 0123456789ab; grep 11111111');
});

describe('a reader', () => {
  const shell = openShell({ cwd: tmpdir(), env: { PATH: process.env.PATH } });
  afterAll(() => shell.close());
  const step = (text: string, shown: string[] = [], refused = false) =>
    follow({ page: 'page.md', section: '', form: 'block', text, shown, refused }, { shell, own: { NAME: 'www' } });

  test('a reader keeps his variables and functions from command to command', async () => {
    await step('a=1; f() { echo "$a $1"; }');
    expect(await step('f NAME', ['1 www'])).toBe('1 www');
  });

  test('a reader says it when a command fails, shows something else, or is not refused as the page says', async () => {
    await expect(step('ls /nowhere')).rejects.toThrow(/ended with code 2:\nls: /);
    await expect(step('echo b', ['a'])).rejects.toThrow('the page shows');
    await expect(step('true', [], true)).rejects.toThrow('ended with code 0');
    await step('false', [], true);
    expect(typed('HOSTNAME NAME', { NAME: 'x' })).toBe('HOSTNAME x');
  });

  test('a reader looks for the result that the plan has for a command, and says it when there is none', async () => {
    const made = (text: string, shows: RegExp, look?: string) => {
      const proof = { begins: '', shows, seconds: 0, ...(look === undefined ? {} : { look }) };
      return follow({ page: 'page.md', section: '', form: 'block', text, shown: [], refused: false, proof }, { shell });
    };
    await made('b=2', /^2$/, 'echo $b');
    await expect(made('true', /^3$/, 'echo $b')).rejects.toThrow('left nothing that /^3$/ describes: echo $b\n2');
    await made('echo done', /^done$/);
    await expect(made('true', /./)).rejects.toThrow('left nothing');
  });

  test('a reader repeats a command that only looks for as long as the plan says, and no longer', async () => {
    await step('dig() { echo never; }');
    const look = {
      page: 'page.md',
      section: '',
      form: 'block',
      text: 'dig x',
      shown: ['soon'],
      refused: false,
    } as const;
    const start = performance.now();
    await expect(follow({ ...look, shown: ['soon'], seconds: 1 }, { shell })).rejects.toThrow('the page shows');
    expect(performance.now() - start).toBeGreaterThan(1_000);
    expect(performance.now() - start).toBeLessThan(8_000);
  });

  test('a reader finds something in each search, except in those that the plan names', async () => {
    await expect(step('echo a | grep b')).rejects.toThrow('ended with code 1');
    const search = { page: 'page.md', section: '', form: 'block' as const, text: 'echo a | grep b', refused: false };
    await follow({ ...search, shown: [], mayFindNothing: true }, { shell });
  });
});

/** They set the shell up, print, or read only. */
const CHANGES_NOTHING =
  /^(source|export|umask|cat|ls|echo|sleep|select|dig|delv|\w+=('|"|\$\(date|\$[A-Z]|.*\bgrep -o)|zonestead\(\)|zonestead (admin )?(zones|keys|teams|users|nodes|records|changes|secondaries|owners) (list|get|ds|deleted|status|compare|config|secondaries)|zonestead doctor|zonestead (admin )?\S+ \S+ --help|npm run up -- --help|node test\/screenshots|kubectl (-n \S+ )?(get|describe|wait|explain)|curl -s -w '\\n' -H "\$auth" "|curl -sf -H \S+ -H \S+ -d .*dryRun)/;

const machine = (Object.keys(PLAN) as ScenarioName[]).filter((name) =>
  ['tour', 'certificates', 'by symptom', 'acme files', 'solver by hand', 'secrets'].includes(name),
);
test.each(machine)(
  'a command that changes something in "%s" has output on its page, or a proof in the plan',
  async (name) => {
    const bare = (await scenario(name)).filter(
      ({ shown, proof, text }) =>
        proof === undefined && shown.every((line) => line.trim() === '…') && !CHANGES_NOTHING.test(text),
    );
    expect(bare.map(({ page, text }) => `${page}: ${text}`)).toEqual([]);
  },
);

test('a command that changes something is in the plan for each proof', async () => {
  const used = new Set<unknown>();
  for (const name of Object.keys(PLAN) as ScenarioName[])
    for (const { proof } of await scenario(name)) if (proof !== undefined) used.add(proof);
  const all = Object.values(PROOFS).flatMap((each) => (Array.isArray(each) ? each : Object.values(each).flat()));
  expect(all.filter((proof) => !used.has(proof))).toEqual([]);
});
