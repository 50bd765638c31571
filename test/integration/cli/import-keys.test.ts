// `zonestead import --dnssec-key` and `zones create --dnssec-key` with the real program: the keys of BIND's files and
// of PEM, and the ways in which a key and a zone do not belong together.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { dnskeyText, dsRecords, generateSigningKey, type SigningKey } from '#dns/dnssec/signing-key.ts';
import { makeBindKey } from '../../support/dns/key-files.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const folder = await temporaryFolder('import-keys');
const MAIN = inject('program');

function run(...words: string[]) {
  const access = { ZONESTEAD_URL: service.url, ZONESTEAD_API_KEY: service.admin.text };
  const env = { PATH: process.env.PATH ?? '', ...COMPILED, ...access };
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    execFile(process.execPath, [MAIN, ...words], { env, timeout: 100_000 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err });
    });
  });
}

async function fileOf(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

/** A zone file, as a transfer of a signed zone has it if keys are given. */
const zoneFile = (zone: string, ...keys: string[]) => {
  const lines = keys.map((rdata) => `@ 300 IN DNSKEY ${rdata}\n`).join('');
  return fileOf(
    `${zone}.zone`,
    `$ORIGIN ${zone}.\n@ 300 SOA ns1.old.example. host 1 2 3 4 5\n@ NS ns1.old.example.\n${lines}www A 192.0.2.1\n`,
  );
};
const pemFile = (name: string, { privateKey }: SigningKey) => fileOf(name, privateKey);
const dsOf = async (zone: string) => {
  const { zones } = (await service.request('GET', `/zones?zoneName=${zone}`)).body as { zones: { ds: object[] }[] };
  return zones[0]?.ds;
};

test('an import takes either half of a key of BIND, and can be repeated', async () => {
  const files = await makeBindKey(folder, 'bind.example', 'ECDSAP256SHA256');
  const rdata = files.dnskey.replace(/^.* DNSKEY /s, '').trim();
  const source = await zoneFile('bind.example', rdata);
  const words = ['import', source, '--create', '--dnssec-key'];
  const plan = await run(...words, files.path, '--dry-run');
  expect([plan.code, plan.out]).toEqual([0, expect.stringContaining('so DS records of this key stay valid')]);
  expect(await dsOf('bind.example')).toBeUndefined();
  const imported = await run(...words, files.path.replace('.private', '.key'));
  expect([imported.code, imported.err]).toEqual([0, '']);
  const [, , algorithm, ...octets] = rdata.split(/\s+/);
  const key = { algorithm: Number(algorithm) as 13, publicKey: octets.join('') };
  expect(await dsOf('bind.example')).toEqual(dsRecords('bind.example', key));
  const again = await run(...words, files.path);
  expect([again.code, again.out]).toEqual([0, expect.stringContaining('1 unchanged')]);
});

test('a key in PEM needs --zone, and a zone that exists keeps its key', async () => {
  const key = generateSigningKey(15);
  const path = await pemFile('pem.key', key);
  const source = await zoneFile('pem.example');
  const without = await run('import', source, '--create', '--dnssec-key', path);
  expect([without.code, without.err]).toEqual([1, expect.stringContaining('give --zone')]);
  const imported = await run('import', source, '--zone', 'pem.example', '--create', '--dnssec-key', path);
  expect([imported.code, imported.err]).toEqual([0, '']);
  expect(await dsOf('pem.example')).toEqual(dsRecords('pem.example', key));
  const other = await pemFile('other.pem', generateSigningKey());
  const late = await run('import', source, '--zone', 'pem.example', '--create', '--dnssec-key', other);
  expect([late.code, late.out]).toEqual([1, expect.stringContaining('exists with another key')]);
  expect(await dsOf('pem.example')).toEqual(dsRecords('pem.example', key));
});

test('a zone that another key signs is not imported, and the sentence says how to correct it', async () => {
  const key = generateSigningKey();
  const zsk = dnskeyText(generateSigningKey()).replace('257', '256');
  const source = await zoneFile('two.example', dnskeyText(key), zsk);
  const path = await pemFile('two.pem', key);
  const { code, out } = await run('import', source, '--zone', 'two.example', '--create', '--dnssec-key', path);
  expect(code).toBe(1);
  expect(out).toContain('another DNSKEY, with the flags 256');
  expect(out).toContain('alone at its present name servers');
  expect(await dsOf('two.example')).toBeUndefined();
});

test('keys without a zone, two keys of a zone, and keys for manifests are refused', async () => {
  const [one, two] = [
    await makeBindKey(folder, 'pair.example', 'ED25519'),
    await makeBindKey(folder, 'pair.example', 'ED25519', []),
  ];
  const source = await zoneFile('single.example');
  const pair = await run('import', source, '--create', '--dnssec-key', one.path, '--dnssec-key', two.path);
  expect([pair.code, pair.err]).toEqual([1, expect.stringContaining('a zone gets one key')]);
  expect(await dsOf('single.example')).toBeUndefined();
  const unused = await run('import', source, '--create', '--dnssec-key', one.path);
  expect([unused.code, unused.err]).toEqual([1, expect.stringContaining('no source has the zone pair.example')]);
  const manifests = await run('import', source, '--manifests', '--dnssec-key', one.path);
  expect([manifests.code, manifests.err]).toEqual([1, expect.stringContaining('does not work with --manifests')]);
  const zsk = await run('zones', 'create', 'pair.example', '--dnssec-key', two.path);
  expect([zsk.code, zsk.err]).toEqual([1, expect.stringContaining('zone-signing key (flags 256)')]);
});

test('zones create takes a key, and its dry run does not show it', async () => {
  const key = generateSigningKey(14);
  const path = await pemFile('create.pem', key);
  const words = ['zones', 'create', 'create.example', '--dnssec-key', path];
  const dry = await run(...words, '--dry-run', '-o', 'json');
  expect([dry.code, dry.out]).toEqual([0, expect.not.stringContaining('PRIVATE')]);
  const made = await run(...words);
  expect([made.code, made.out]).toEqual([0, expect.stringContaining('It has the imported DNSSEC key')]);
  expect(await dsOf('create.example')).toEqual(dsRecords('create.example', key));
});
