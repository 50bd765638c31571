// Real ACME clients get a certificate for apex and wildcard (two values at one name) from Pebble through the service,
// and leave nothing behind: certbot, lego, dehydrated, uacme, acme.sh's file by `zonestead acme`; lego's httpreq
// without it. They are called as docs/how-to/acme-clients.md says, with the additions that this machine needs. They all
// run in parallel: clients wait most of the time.
import { X509Certificate } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ensureTools } from '../../../deploy/local/parts/apt.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import type { Pebble } from '../../../deploy/local/parts/pebble.ts';
import { startPebble } from '../../support/cert-manager/pebble.ts';
import { typed } from '../../support/docs/reader.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import { NAMESERVERS, startTestService } from '../../support/service/service.ts';

const { signal } = new AbortController();
const MAIN = inject('program');
const documented = await scenario('acme clients');
const service = await startTestService();
const LIMIT_MS = 350_000;
/** lego waits a minute between two names and seconds between two looks, unless told otherwise. */
const QUICK = { EXEC_SEQUENCE_INTERVAL: '1', EXEC_POLLING_INTERVAL: '1', EXEC_PROPAGATION_TIMEOUT: '200' };

let dir: string;
let pebble: Pebble;
let hook: string;
let acmeSh: string;

beforeAll(async () => {
  await ensureTools(
    ['certbot', 'lego', 'dehydrated', 'uacme', 'dash'].map((name) => ({ command: name, package: name })),
    { progress: (line) => process.stdout.write(`${line}\n`), signal },
  );
  dir = await mkdtemp(join(tmpdir(), 'zonestead-acme-'));
  pebble = await startPebble(dir, service.dns, signal);
  const at = `${service.dns.address}:${service.dns.port}`;
  const key = await service.key({ manageZones: 'none', onlyNames: ['_acme-challenge*'], onlyTypes: ['TXT'] });
  const credentials = join(dir, 'credentials');
  const settings = {
    ZONESTEAD_URL: service.url,
    ZONESTEAD_API_KEY: key.text,
    ZONESTEAD_NAMESERVER_ADDRESSES: NAMESERVERS.map((name) => `${name}=${at}`).join(','),
    ZONESTEAD_RESOLVER: at,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(credentials, lines.join(''), { mode: 0o600 });
  [hook = '', acmeSh = ''] = await Promise.all(
    ['hook', 'acme.sh'].map(async (kind) => {
      const file = join(dir, kind === 'hook' ? 'zonestead-acme' : 'dns_zonestead.sh');
      const { out } = await run(process.execPath, [MAIN, 'acme', '--credentials', credentials, '--print', kind]);
      await writeFile(file, `${out}\n`);
      await chmod(file, 0o755);
      return file;
    }),
  );
}, 300_000);

afterAll(async () => {
  await pebble?.part.stop();
  if (dir) await rm(dir, { recursive: true, force: true });
});

/** @throws with the program's last words when it fails */
async function run(command: string, args: string[], env: Record<string, string> = {}) {
  const result = await runCommand({
    command,
    args,
    env: { PATH: process.env.PATH, HOME: dir, ...COMPILED, ...env },
    timeoutMs: LIMIT_MS,
    signal,
  });
  if (result.code !== 0) throw new Error(`${command} ${args.join(' ')} failed (${result.code}):\n${result.tail}`);
  return result;
}

/** The page's command that contains these words, for this zone, with more options for its program. */
async function follow(words: string, zoneName: string, options: string, env: Record<string, string> = {}) {
  const text = documented.find((step) => step.text.includes(words))?.text ?? '';
  const [before, program = ''] = /^(?:[A-Z_]+=\S+ )*([a-z.]+(?: certonly)?)/.exec(text) ?? [];
  const command = `${before} ${options}${text.slice(before?.length).replace(' … ', ' ')}`;
  const own = {
    'example.org': zoneName,
    'https://dns.example.net': service.url,
    'yk_…': service.admin.text,
    '/usr/local/bin/zonestead-acme': hook,
  };
  expect(program, words).not.toBe('');
  // The hook is where programs are.
  await run('bash', ['-c', typed(command, own)], { PATH: `${dir}:${process.env.PATH}`, ...env });
}

/** The names of the certificate, and that no value and no owner is left in the zone. */
async function expectCertificate(file: string, zone: { id: string; zoneName: string }): Promise<void> {
  const certificate = new X509Certificate(await readFile(file));
  expect(certificate.subjectAltName?.split(', ').sort()).toEqual([`DNS:*.${zone.zoneName}`, `DNS:${zone.zoneName}`]);
  expect((await service.request('GET', `/zones/${zone.id}/records?type=TXT`)).body.records).toEqual([]);
  expect((await service.request('GET', `/zones/${zone.id}/owners`)).body.owners).toEqual([]);
  // Both values existed at once, or one after the other: in both cases two were written.
  const [row] = await service.sql`
    select count(*)::int as written from changes where zone_id = ${zone.id} and action = 'record.create'
    and after->>'type' = 'TXT' and owner ~ '^acme:(hook|httpreq)/'`;
  expect(row?.written).toBeGreaterThanOrEqual(2);
}

const lego = async (zoneName: string, provider: string, env: Record<string, string>) => {
  const path = join(dir, `lego-${zoneName}`);
  const resolver = ['--dns.resolvers', `${service.dns.address}:${service.dns.port}`, '--dns.disable-cp'];
  const names = ['-d', zoneName, '-d', `*.${zoneName}`];
  const account = ['--server', pebble.url, '--email', 'hostmaster@example.org', '--accept-tos', '--path', path];
  await run('lego', [...account, '--dns', provider, ...resolver, ...names, 'run'], {
    LEGO_CA_CERTIFICATES: pebble.authority.file,
    ...env,
  });
  return join(path, 'certificates', `${zoneName}.crt`);
};

/** The page's lego; `mode` of httpreq. */
const legoAsDocumented = async (words: string, zoneName: string, more = '', mode = '') => {
  const path = join(dir, `lego-${zoneName}`);
  const resolver = `--dns.resolvers ${service.dns.address}:${service.dns.port}`;
  await follow(words, zoneName, `--server ${pebble.url} --path ${path} ${resolver} ${more}`, {
    LEGO_CA_CERTIFICATES: pebble.authority.file,
    HTTPREQ_MODE: mode,
    ...QUICK,
  });
  return join(path, 'certificates', `${zoneName}.crt`);
};

describe.concurrent('certificates for apex and wildcard', () => {
  test('certbot gets a certificate for apex and wildcard, and leaves no TXT', async () => {
    const zone = await service.zone();
    const dirs = ['config', 'work', 'logs'].map((name) => `--${name}-dir ${join(dir, 'certbot', name)}`).join(' ');
    const account = `--server ${pebble.url} --agree-tos --register-unsafely-without-email --non-interactive`;
    await follow('certbot', zone.zoneName, `${account} ${dirs}`, { REQUESTS_CA_BUNDLE: pebble.authority.file });
    await expectCertificate(join(dir, 'certbot/config/live', zone.zoneName, 'cert.pem'), zone);
  });

  test('lego with exec gets a certificate for apex and wildcard, and leaves no TXT', async () => {
    const zone = await service.zone();
    await expectCertificate(await legoAsDocumented('--dns exec', zone.zoneName), zone);
  });

  test('lego with exec in raw mode gets a certificate for apex and wildcard, and leaves no TXT', async () => {
    const zone = await service.zone();
    await expectCertificate(await lego(zone.zoneName, 'exec', { EXEC_PATH: hook, EXEC_MODE: 'RAW', ...QUICK }), zone);
  });

  test.each(['', 'RAW'])('lego with httpreq %s gets a certificate for both names, and leaves no TXT', async (mode) => {
    const zone = await service.zone();
    const account = '--accept-tos --email hostmaster@example.net --dns.disable-cp';
    await expectCertificate(await legoAsDocumented('--dns httpreq', zone.zoneName, account, mode), zone);
  });

  test('dehydrated, which hands both values over at once, gets a certificate for apex and wildcard, and leaves no TXT', async () => {
    const zone = await service.zone();
    const base = join(dir, 'dehydrated');
    await mkdir(base);
    const config = join(base, 'config');
    const settings = {
      CA: pebble.url,
      BASEDIR: base,
      CHALLENGETYPE: 'dns-01',
      HOOK: hook,
      HOOK_CHAIN: 'yes',
      CURL_OPTS: `--cacert ${pebble.authority.file}`,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`);
    await writeFile(config, lines.join(''));
    await run('dehydrated', ['-f', config, '--register', '--accept-terms']);
    await follow('dehydrated', zone.zoneName, `-f ${config}`);
    await expectCertificate(join(base, 'certs', zone.zoneName, 'cert.pem'), zone);
  });

  // acme.sh sources the file of --dns in a subshell, looks for its two functions and calls them with name and value
  // (its issue() and _clearupdns()); the flow around it is lego's, acme.sh itself being in no registry.
  test.each(['dash', 'bash'])(
    "acme.sh's file, sourced under %s, serves a certificate for apex and wildcard, and leaves no TXT",
    async (shell) => {
      const zone = await service.zone();
      const caller = join(dir, `as-acme-sh-${shell}`);
      const lines = [
        `#!/usr/bin/env ${shell}`,
        'case "$1" in present) _do=add ;; cleanup) _do=rm ;; *) exit 0 ;; esac',
        '_currentRoot=dns_zonestead',
        '(',
        `  . "${acmeSh}" || exit 1`,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's.
        '  _command="${_currentRoot}_$_do"',
        '  command -v "$_command" >/dev/null || exit 1',
        // lego gives the name its final dot, acme.sh does not.
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's.
        '  "$_command" "${2%.}" "$3"',
        ')',
      ];
      await writeFile(caller, `${lines.join('\n')}\n`, { mode: 0o755 });
      await expectCertificate(await lego(zone.zoneName, 'exec', { EXEC_PATH: caller, ...QUICK }), zone);
    },
  );

  test('uacme gets a certificate for apex and wildcard, and leaves no TXT', async () => {
    const zone = await service.zone();
    const account = `-c ${join(dir, 'uacme')} -a ${pebble.url}`;
    // Its TLS library knows the machine's authorities only: in a mount namespace of its own Pebble's is one of them.
    const trusting = 'mount --bind "$0" /etc/ssl/certs/ca-certificates.crt && exec uacme "$@"';
    const program = join(dir, 'uacme-here', 'uacme');
    await mkdir(join(dir, 'uacme-here'));
    // A user other than root needs a user namespace for it, which containers and chroots often do not provide.
    const own = process.getuid?.() === 0 ? '-m' : '-rm';
    const line = `exec env PATH="$REAL" unshare ${own} sh -c '${trusting}' ${pebble.authority.file} "$@"`;
    await writeFile(program, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    const env = { REAL: process.env.PATH ?? '', PATH: `${join(dir, 'uacme-here')}:${process.env.PATH}` };
    await run('bash', ['-c', `uacme ${account} -y new`], env);
    await follow('uacme', zone.zoneName, account, env);
    await expectCertificate(join(dir, 'uacme', zone.zoneName, 'cert.pem'), zone);
  });
});

test("acme.sh's functions fail as it expects when the value cannot be placed", async () => {
  const call = (name: string) =>
    run('sh', ['-c', `. "$0" && ${name} "$1" "$2"`, acmeSh, '_acme-challenge.no.test', 'x']);
  await expect(call('dns_zonestead_add')).rejects.toThrow('No zone that this API key can see contains');
});
