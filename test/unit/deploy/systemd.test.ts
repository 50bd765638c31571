// The systemd units of a name server on a machine without Kubernetes.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { KNOT_CONF_SETTINGS, NODE_SETTINGS } from '#nameserver/settings.ts';
import { findCommand, runCommand } from '../../../deploy/local/parts/commands.ts';

const FOLDER = new URL('../../../deploy/systemd/', import.meta.url).pathname;
const UNITS = ['zonestead-knot.service', 'zonestead-nameserver.service'] as const;
const read = (name: string) => readFile(`${FOLDER}${name}`, 'utf8');

test('the units start the two processes of a name server', async () => {
  const started = (await Promise.all(UNITS.map(read))).map((text) => /^ExecStart=.*main\.js (.*)$/m.exec(text)?.[1]);
  expect(started).toEqual(['knot-conf --start', 'nameserver']);
});

test('both processes have the same user, folders and restrictions: they share private keys and a socket', async () => {
  const common = (await Promise.all(UNITS.map(read))).map((text) => /\n# The rest is the same[\s\S]*$/.exec(text)?.[0]);
  expect(common[0]).toContain('\nUser=zonestead\n');
  expect(common[1]).toBe(common[0]);
});

test('systemd starts both processes again however often they fail, and never gives up', async () => {
  for (const text of await Promise.all(UNITS.map(read))) {
    const [unit = '', service = ''] = text.split('\n[Service]\n');
    // In the section [Service], systemd ignores the setting.
    expect(unit).toMatch(/\nStartLimitIntervalSec=0\n/);
    expect(service).toMatch(/\nRestart=always\nRestartSec=1\n/);
  }
});

test('only knotd may use a port below 1024', async () => {
  const [knot, nameserver] = await Promise.all(UNITS.map(read));
  expect(knot).toContain('\nAmbientCapabilities=CAP_NET_BIND_SERVICE\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\n');
  expect(nameserver).toContain('\nCapabilityBoundingSet=\n');
});

test('every setting of the environment file is one that a process reads', async () => {
  const names = [...(await read('nameserver.env')).matchAll(/^#?(ZONESTEAD_\w+?)(_FILE)?=/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(6);
  const known = new Set<string>([...KNOT_CONF_SETTINGS, ...NODE_SETTINGS]);
  expect(names.filter((name = '') => !known.has(name))).toEqual([]);
});

test.skipIf(findCommand('systemd-analyze') === undefined)('systemd understands the units', async () => {
  const { tail } = await runCommand({
    command: 'systemd-analyze',
    args: ['verify', '--man=no', ...UNITS.map((name) => `${FOLDER}${name}`)],
    timeoutMs: 100_000,
    signal: new AbortController().signal,
  });
  // The program is below RootDirectory, where systemd-analyze does not look.
  const faults = tail.split('\n').filter((line) => UNITS.some((name) => line.includes(name)));
  expect(faults.filter((line) => !/Command \S+node is not executable/.test(line))).toEqual([]);
});
