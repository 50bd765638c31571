// `up` as a user runs it: the ready line, the env file in a shell, Ctrl-C, a second start, a part that dies.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../deploy/local/parts/commands.ts';
import { removePostgresState } from '../../deploy/local/parts/postgres.ts';
import { createResolver, type Resolver } from '../support/dns/resolver.ts';
import { scenario } from '../support/docs/scenario.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const MAIN = join(ROOT, 'deploy/local/main.ts');

interface Up {
  child: ChildProcess;
  output: () => string;
  /** Settles with the exit code. */
  ended: Promise<number | null>;
}

let state: string;
const started: ChildProcess[] = [];
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'zonestead-up-'));
});
// A test that failed halfway must not leave its stack to the next one.
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null) continue;
    child.kill('SIGINT');
    await new Promise((resolve) => child.once('exit', resolve));
  }
});
afterAll(async () => {
  await removePostgresState(state);
  await rm(state, { recursive: true, force: true });
});

function up(...args: string[]): Up {
  return run(process.execPath, [MAIN, '--state', state, ...args]);
}

function run(command: string, args: string[]): Up {
  const { KUBECONFIG: _other, ...env } = process.env;
  const child = spawn(command, args, {
    env,
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += chunk));
  return { child, output: () => text, ended: new Promise((resolve) => child.once('exit', resolve)) };
}

/** @throws with its output when it ends or takes longer than 240 s */
async function ready(running: Up): Promise<string> {
  for (let waited = 0; waited < 240_000; waited += 100) {
    const line = running
      .output()
      .split('\n')
      .find((text) => text.startsWith('ready'));
    if (line) return line;
    if (running.child.exitCode !== null) break;
    await sleep(100);
  }
  throw new Error(`up did not get ready:\n${running.output()}`);
}

/** Processes that have the state folder in their command line or environment. */
async function leftovers(): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if ([command, environment].some((text) => text.includes(state))) found.push(command);
  }
  return found;
}

async function shell(script: string): Promise<{ code: number | null; out: string }> {
  const args = ['-c', `. '${state}/env'; ${script}`];
  return runCommand({ command: 'sh', args, timeoutMs: 150_000, signal: new AbortController().signal });
}

let key: string;

test('npm run up shows the example Ready with signed answers, and prints a line that begins with ready', async () => {
  const running = up();
  expect(await ready(running)).toMatch(
    /^ready after [\d.]+ s: API http:\/\/127\.0\.0\.1:\d+\/v1\/dns, DNS 127\.0\.0\.1:\d+\./,
  );
  expect(running.output()).toMatch(
    /dnsrecord\.zonestead\.dev\/www\s+quickstart\s+www\s+A\s+192\.0\.2\.10,192\.0\.2\.11\s+True\s+Ready/,
  );
  expect(running.output()).toMatch(/www\.quickstart\.example\.\s+60\s+IN\s+RRSIG\s+A 13 3 60/);
  expect(running.output()).not.toMatch(/yk_/);

  const env = await stat(join(state, 'env'));
  expect(env.mode & 0o777).toBe(0o600);
  expect((await shell('kubectl get zdz quickstart -o jsonpath={.status.state}')).out).toBe('active');
  expect((await shell('command -v kubectl')).out.trim()).toBe(join(state, 'bin/kubectl'));
  const list = await shell('curl -s -H "Authorization: Bearer $ZONESTEAD_API_KEY" $ZONESTEAD_URL/v1/dns/zones');
  expect(JSON.parse(list.out).zones[0].owner).toMatch(/^org:team_/);
  const other = await shell('curl -s -H "Authorization: Bearer $ZONESTEAD_API_KEY_2" $ZONESTEAD_URL/v1/dns/zones');
  expect(JSON.parse(other.out)).toEqual({ zones: [] });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell that fills it in.
  const dig = await shell('dig +short @${ZONESTEAD_DNS%:*} -p ${ZONESTEAD_DNS#*:} www.quickstart.example A | sort');
  expect(dig.out).toBe('192.0.2.10\n192.0.2.11');
  const names = 'ZONESTEAD_TEAM ZONESTEAD_TEAM_2 DATABASE_URL KUBECONFIG';
  expect((await shell(`for n in ${names}; do eval "test -n \\"\\$$n\\"" || echo $n; done`)).out).toBe('');
  key = (await shell('printf %s $ZONESTEAD_API_KEY')).out;

  const second = up();
  expect(await second.ended).toBe(1);
  expect(second.output()).toMatch(/another "up" of this folder is running/);

  // One Ctrl-C: the terminal tells npm and us, and npm tells us again.
  running.child.kill('SIGINT');
  await sleep(20);
  running.child.kill('SIGINT');
  expect(await running.ended).toBe(0);
  await expect.poll(leftovers).toEqual([]);
}, 600_000);

test('npm run up continues with its state, now with three name servers that answer alike, and reports a part that dies', async () => {
  const running = up('--empty', '--limits', 'off', '--nodes', '3');
  const [, dns = ''] = /, DNS (.*)\.$/.exec(await ready(running)) ?? [];
  expect((await shell('printf %s $ZONESTEAD_API_KEY')).out).toBe(key);
  const servers = dns.split(', ').map((server) => {
    const [address = '', port] = server.split(':');
    return createResolver({ address, port: Number(port) }, state);
  });
  expect(servers.map(({ address }) => address)).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1']);
  const id = '$(kubectl get zdz quickstart -o jsonpath={.status.zoneId})';
  const record = (words: object) => {
    const call = `curl -sf -H "Authorization: Bearer $ZONESTEAD_API_KEY" --json '${JSON.stringify(words)}'`;
    return shell(`${call} "$ZONESTEAD_URL/v1/dns/zones/${id}/records"`);
  };
  for (const words of [
    { name: '*.apps', type: 'A', content: '192.0.2.20', ttl: 60 },
    { name: 'child', type: 'NS', content: 'ns.elsewhere.example', ttl: 60 },
  ])
    expect(JSON.parse((await record(words)).out)).toMatchObject({ name: words.name });
  await Promise.all(servers.map(answersAlike));
  expect((await shell('kubectl get zdr www -o jsonpath={.status.fqdn}')).out).toBe('www.quickstart.example');
  process.kill(await pidOf('main.ts nameserver'), 'SIGKILL');
  expect(await running.ended).toBe(1);
  expect(running.output()).toMatch(/nameserver ended by itself \(SIGKILL\); the end of its log:/);
  await expect.poll(leftovers).toEqual([]);
}, 600_000);

test('npm run up starts over with --fresh; a signal that stops npm stops it too', async () => {
  const [documented] = await scenario('fresh');
  const [npm = '', ...words] = documented?.text.split(' ') ?? [];
  const running = run(npm, [...words, '--state', state, '--empty']);
  await ready(running);
  expect((await shell('kubectl get zdz -o name')).out).toBe('');
  expect((await shell('printf %s $ZONESTEAD_API_KEY')).out).not.toBe(key);
  running.child.kill('SIGTERM');
  await running.ended;
  await expect.poll(leftovers).toEqual([]);
}, 600_000);

test('npm run up names each wrong option', async () => {
  const wrong = up('--limits', 'perhaps', '--dns-port', 'x', '--kubeconfig', '/nowhere');
  expect(await wrong.ended).toBe(1);
  expect(wrong.output()).toMatch(/--limits must be on or off/);
  expect(wrong.output()).toMatch(/--dns-port must be a port number/);
  expect(wrong.output()).toMatch(/--kubeconfig names no file/);
});

/** Positive, negative, wildcard and delegation answers, validated up to the key of the zone. */
async function answersAlike(dns: Resolver): Promise<void> {
  const zone = 'quickstart.example';
  const validated = async (name: string, type: string) => {
    const { state: verdict, negative, records } = await dns.delv(zone, name, type);
    return [verdict, negative, records.map((line) => line.split(' ').at(-1)).sort()];
  };
  await expect.poll(async () => (await dns.lookup(`any.apps.${zone}`, 'A')).rcode).toBe('NOERROR');
  const referral = async () => {
    const { packet } = await dns.lookup(`www.child.${zone}`, 'A', { dnssec: true });
    return packet.authorities?.filter(({ type }) => type === 'NS').map(({ name, data }) => [name, data]);
  };
  await expect.poll(referral).toEqual([[`child.${zone}`, 'ns.elsewhere.example']]);
  await expect.poll(async () => (await dns.lookup(zone, 'NS')).answers).toHaveLength(3);
  expect(await validated(`www.${zone}`, 'A')).toEqual(['secure', null, ['192.0.2.10', '192.0.2.11']]);
  expect(await validated(`any.apps.${zone}`, 'A')).toEqual(['secure', null, ['192.0.2.20']]);
  expect(await validated(`nothing.${zone}`, 'A')).toEqual(['secure', 'nxdomain', []]);
  expect(await validated(`www.${zone}`, 'AAAA')).toEqual(['secure', 'nodata', []]);
  // The delegation is proven to be insecure.
  expect(await validated(`child.${zone}`, 'DS')).toEqual(['secure', 'nodata', []]);
}

/** The pid of our own command whose environment belongs to this state folder. */
async function pidOf(command: string): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
    const env = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (line.includes(command) && env.includes(state)) return Number(pid);
  }
  throw new Error(`no process runs ${command}`);
}
