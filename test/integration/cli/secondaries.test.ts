// `zonestead admin secondaries …` and `zonestead zones secondaries`, with an api and its database. The commands run
// in this process, through the parser of the program.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test, vi } from 'vitest';
import { command as admin } from '../../../src/cli/admin/admin.ts';
import { addToTree } from '../../../src/cli/tree.ts';
import { command as zones } from '../../../src/cli/zones/zones.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
vi.stubEnv('DATABASE_URL', service.database.url);
vi.stubEnv('ZONESTEAD_URL', service.url);
vi.stubEnv('ZONESTEAD_API_KEY', service.admin.text);
/** Runs `zonestead …`. @returns the output, or the message of the error */
const zonestead = async (words: string): Promise<string> => {
  const lines: string[] = [];
  const context = {
    print: (line: string) => void lines.push(line),
    warn: () => undefined,
    program: 'zonestead',
    signal: AbortSignal.timeout(100_000),
    stop: () => undefined,
    missing: [],
  };
  const program = new Command('zonestead');
  for (const group of [admin, zones]) addToTree(program, group, context);
  try {
    await program.parseAsync(words.split(' '), { from: 'user' });
  } catch (error) {
    return (error as Error).message;
  }
  return `${lines.join('\n')}\n`;
};
const stored = async (name: string) => {
  const { report: _, createdAt: _2, ...rest } = JSON.parse(await zonestead(`admin secondaries show ${name}`));
  return rest;
};

test('zonestead admin secondaries adds a secondary once, and changes only what is given', async () => {
  const options = '--address 192.0.2.1 --transfers-from 192.0.2.7 --ns ns.eu.test --all-zones --no-notify';
  expect(await zonestead(`admin secondaries add eu ${options} --offer-to-team first`)).toContain(
    'secondary eu is added',
  );
  const before = await stored('eu');
  expect(before).toMatchObject({
    addresses: [{ address: '192.0.2.1', port: 53 }],
    transfersFrom: ['192.0.2.7'],
    nameservers: ['ns.eu.test'],
    allZones: true,
    catalog: true,
    notify: false,
    offer: { all: false, teams: ['first'], namespaces: [] },
  });
  expect(await zonestead('admin secondaries add eu --address 192.0.2.2')).toMatch(
    /^there is a secondary eu already; "zonestead admin secondaries change eu" changes it/,
  );
  expect(await zonestead('admin secondaries change eu')).toMatch(/^nothing to change/);
  expect(await stored('eu')).toEqual(before);

  const changed = 'admin secondaries change eu --address [2001:db8::1]:5353 --address 192.0.2.3:54';
  expect(await zonestead(changed)).toBe('secondary eu is changed; its TSIG key is eu.zonestead (hmac-sha256)\n');
  const addresses = [
    { address: '2001:db8::1', port: 5353 },
    { address: '192.0.2.3', port: 54 },
  ];
  expect(await stored('eu')).toEqual({ ...before, addresses });
  await zonestead('admin secondaries change eu --offer-to-all');
  const everybody = { all: true, teams: [], namespaces: [] };
  expect(await stored('eu')).toEqual({ ...before, addresses, offer: everybody });
  expect(await zonestead('admin secondaries list')).toMatch(
    /^eu +\[2001:db8::1\]:5353 192\.0\.2\.3:54 +ns\.eu\.test +all +all teams/m,
  );
  await zonestead(
    'admin secondaries change eu --no-ns --no-transfers-from --no-all-zones --no-offer --notify --no-catalog',
  );
  const nothing = { transfersFrom: [], nameservers: [], allZones: false, notify: true, catalog: false };
  const nobody = { ...everybody, all: false };
  expect(await stored('eu')).toEqual({ ...before, addresses, ...nothing, offer: nobody });
  expect(await zonestead('admin secondaries change none --ns ns.eu.test')).toMatch(/^there is no secondary none/);
});

test('zonestead admin secondaries applies a file, which is the whole description apart from zones and key', async () => {
  const file = join(await temporaryFolder('apply'), 'secondaries.json');
  const apply = async (...secondaries: object[]) => {
    await writeFile(file, JSON.stringify(secondaries));
    return zonestead(`admin secondaries apply ${file}`);
  };
  const us = { name: 'us', addresses: ['192.0.2.9'] };
  const offer = { teams: ['first'], namespaces: ['first/shop'] };
  expect(await apply({ ...us, nameservers: ['ns.us.test'], offer })).toBe('secondary us is added\n');
  expect(await stored('us')).toMatchObject({ nameservers: ['ns.us.test'], offer: { all: false, ...offer } });
  expect(await apply(us)).toBe('secondary us is as the file says\n');
  expect(await stored('us')).toMatchObject({ nameservers: [], offer: { all: false, teams: [], namespaces: [] } });
  const folder = await temporaryFolder('no-file');
  expect(await apply({ ...us, tsig: { secretFile: folder } })).toBe(`${folder} cannot be read: it is a folder`);
  expect(await zonestead(`admin secondaries change us --tsig-secret-file ${folder}`)).toContain('it is a folder');
  expect(await zonestead(`admin secondaries apply ${folder}/none`)).toContain('there is no such file');
  await writeFile(file, '- name: us');
  expect(await zonestead(`admin secondaries apply ${file}`)).toContain(`${file} is not JSON: `);
  expect(await apply({ ...us, offer: { everyone: true } })).toContain('offer: has unknown fields: everyone');
  expect(await apply({ ...us, offer: { namespaces: ['shop'] } })).toContain('such as platform/shop');
});

test('zonestead admin secondaries changes nothing in a dry run, which makes all checks', async () => {
  await service.zone('dry.example');
  await zonestead('admin secondaries add dry --address 192.0.2.11');
  const file = join(await temporaryFolder('dry'), 'secondaries.json');
  await writeFile(file, JSON.stringify([{ name: 'dry-file', addresses: ['192.0.2.12'] }]));
  const before = await zonestead('admin secondaries list -o json');
  const dry = (words: string) => zonestead(`admin secondaries ${words} --dry-run`);
  // No secret, because it would belong to no key.
  expect(await dry('add dry2 --address 192.0.2.13')).toBe(
    'dry run: secondary dry2 is added; its TSIG key is dry2.zonestead (hmac-sha256)\n',
  );
  expect(await dry('change dry --address 192.0.2.14')).toMatch(/^dry run: secondary dry is changed/);
  expect(await dry(`apply ${file}`)).toBe('dry run: secondary dry-file is added\n');
  expect(await dry('zones dry --add dry.example')).toMatch(/^dry run: secondary dry: 1 zones are added/);
  expect(await dry('remove dry')).toMatch(/^dry run: secondary dry is removed/);
  expect(await zonestead('admin secondaries list -o json')).toBe(before);
  expect(await dry('add dry --address 192.0.2.13')).toMatch(/^there is a secondary dry already/);
  expect(await dry('zones dry --add unknown.example')).toContain('unknown.example');
  expect(await dry('remove unknown')).toMatch(/^there is no secondary unknown/);
});

test('zonestead zones secondaries shows the secondaries of a zone, and chooses among those that are offered', async () => {
  const zone = await service.zone('choice.example');
  await zonestead('admin secondaries add a1 --address 192.0.2.4 --offer-to-all');
  await zonestead('admin secondaries add b1 --address 192.0.2.5 --ns ns.b.test --offer-to-team first');
  const chosen = await zonestead(`zones secondaries ${zone.zoneName} --add b1`);
  expect(chosen).toMatch(/^b1 +ns\.b\.test +you +unknown +- +no name server has reported about it yet$/m);
  expect(chosen).toContain('offered as well: a1\n');
  const change = `zones secondaries ${zone.zoneName} --add a1 --remove b1`;
  expect(await zonestead(`${change} --dry-run`)).toBe('would choose a1; chosen now: b1\n');
  expect(await zonestead(`zones secondaries ${zone.zoneName} --add zz --dry-run`)).toMatch(
    /zz is not offered .*a1, b1/,
  );
  expect(JSON.parse(await zonestead(`zones secondaries ${zone.id} -o json`)).secondaries).toMatchObject([
    { name: 'b1' },
  ]);
  await zonestead(change);
  const { secondaries } = JSON.parse(await zonestead(`zones secondaries ${zone.id} -o json`));
  expect(secondaries).toMatchObject([{ name: 'a1', chosen: true }]);
  expect(await zonestead(`zones secondaries ${zone.zoneName} --add zz`)).toMatch(
    /^secondaries: the secondary zz is not offered .* Offered: a1, b1\..*\(403 forbidden\)$/,
  );
});
