// NOTES lead from an installation to a session of the console and an API key. Their command for users is typed here
// with the real program and a real api; test/e2e/node types all of them in a cluster.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { CHART, helm, one, render, type Values } from '../../support/chart/chart.ts';
import { startConsoleService, visit } from '../../support/console/console.ts';
import { notesCommands } from '../../support/docs/notes.ts';
import { COMPILED } from '../../support/program/compiled.ts';

const MAIN = inject('program');
const oidc = { issuer: 'https://login.example.net', clientId: 'zonestead' };
const exposed = {
  api: { trustedProxies: ['10.0.0.0/8'] },
  ingress: { enabled: true, hosts: [{ host: 'dns.example.net' }], tls: [{ secretName: 'dns-tls' }] },
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zonestead-notes-'));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

async function notes(values: Values): Promise<string> {
  const file = join(folder, 'values.json');
  await writeFile(file, JSON.stringify(values));
  const { ok, out, words } = await helm('install', 'one', CHART, '-n', 'dns', '--dry-run=client', '--values', file);
  if (!ok) throw new Error(words);
  return out.slice(out.indexOf('NOTES:'));
}
/** The commands that lead to a session, without those for zones and for the check of the installation. */
const signIn = async (values: Values) =>
  notesCommands(await notes(values)).filter((text) => /^(kubectl (exec|port-forward)|curl)/.test(text));
const ADD =
  'kubectl exec -n dns deployment/one-zonestead-api -c api -- zonestead admin users add --email you@example.org';
const FORWARD = 'kubectl port-forward -n dns deployment/one-zonestead-api 8080:8080';

describe('with the defaults', async () => {
  const service = await startConsoleService({ nameserver: false });

  test('with the defaults, two commands lead to the console, and the key of the first one is an API key', async () => {
    // The bootstrap Job creates the team of the operator.
    await service.key({ team: 'platform' });
    const [add = '', forward, ask = '', ...more] = await signIn({});
    expect([add, forward]).toEqual([`${ADD} --team platform`, FORWARD]);
    expect(more).toEqual([]);
    const [, words = ''] = add.split(' -- zonestead ');
    const env = { PATH: process.env.PATH ?? '', ...COMPILED, DATABASE_URL: service.database.url };
    const options = { env, timeout: 100_000 };
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...words.split(' ')], options);
    const [key = ''] = /^yu_\w+$/m.exec(stdout) ?? [];
    await visit(service).signIn(key);
    const typed = ask.replace('http://localhost:8080', service.url).replace('yu_...', key);
    expect((await promisify(execFile)('sh', ['-c', typed])).stdout).toContain('"you@example.org"');
  });

  test('with the defaults, the commands name objects of the release', async () => {
    const objects = await render({}, { release: 'one', namespace: 'dns' });
    const [{ name, env }] = one(objects, 'Deployment', 'one-zonestead-api').spec.template.spec.containers;
    expect(name).toBe('api');
    // The port is forwarded to this address inside of a pod.
    expect(env).toContainEqual({ name: 'ZONESTEAD_LISTEN', value: '127.0.0.1:8080' });
    expect(await signIn({ profile: 'small' })).toContain(
      'kubectl port-forward -n dns statefulset/one-zonestead-nameserver 8080:8080',
    );
  });
});

test('with an Ingress, one command and the address of the console are enough', async () => {
  expect(await signIn(exposed)).toEqual([
    `${ADD} --team platform`,
    "curl -H 'Authorization: Bearer yu_...' https://dns.example.net/v1/account",
  ]);
  expect(await notes(exposed)).toContain('open https://dns.example.net/console/ and enter the key');
});

const withTeams = (teams: Record<string, string>) => ({
  ...exposed,
  api: { ...exposed.api, console: { oidc: { ...oidc, teams } } },
});

test('with an OpenID provider, the first person of a group signs in without a command', async () => {
  const values = withTeams({ developers: 'platform', 'dns-admins': 'platform:owner' });
  const text = await notes(values);
  expect(await signIn(values)).toEqual([]);
  expect(text).toContain(
    'Sign in with the OpenID provider https://login.example.net:\n\n  https://dns.example.net/console/\n',
  );
  expect(text).toContain('https://dns.example.net/console/sign-in/provider/back');
  expect(text).toContain('these groups: developers, dns-admins\n');
});

test('with an OpenID provider, a command adds the first person if no group does', async () => {
  expect(await signIn(withTeams({}))).toEqual([`${ADD} --team platform`]);
});

test('without the console, the commands lead to an API key', async () => {
  const values = { api: { console: { enabled: false } } };
  expect((await signIn(values)).map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual([
    'kubectl exec',
    'kubectl port-forward',
    'curl -H',
  ]);
  expect(await notes(values)).not.toContain('/console');
});

test('the name of the team reaches the command as one word', async () => {
  const [add = ''] = await signIn({ bootstrap: { team: "it's us" } });
  const { stdout } = await promisify(execFile)('sh', ['-c', add.replace(/^.* --team/, "printf '<%s>'")]);
  expect(stdout).toBe("<it's us>");
});

test('the notes warn if the namespaces of the operator have less than two changes of records a minute each', async () => {
  const given = (records: number) => notes({ operator: { namespaces: ['one', 'two', 'three'], limits: { records } } });
  expect(await given(5)).toContain('WARNING: 3 namespaces share operator.limits.records, which is 5 changes a minute.');
  expect(await given(6)).not.toContain('operator.limits');
  // Without a cluster, the namespaces of all are unknown.
  expect(await notes({ operator: { limits: { records: 1 } } })).not.toContain('operator.limits');
});

test('a release without the api has no users to sign in', async () => {
  const values = {
    api: { enabled: false },
    operator: { enabled: false },
    nameserver: { feed: { url: 'https://x.example' }, nodeKey: { existingSecret: 'node-key' } },
  };
  expect(await signIn(values)).toEqual([]);
});

test('NOTES warn of an installation without TLS between its parts', async () => {
  expect(await notes({ api: { tls: { enabled: false } } })).toContain('WARNING: api.tls.enabled is false.');
  expect(await notes({})).not.toContain('api.tls.enabled');
});
