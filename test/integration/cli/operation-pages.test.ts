// The commands of the guides for the person on call, routine tasks, keys, transfers over TLS, dangling names and
// reverse records, as a reader types them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { follow, type Own } from '../../support/docs/reader.ts';
import { type Step, scenario } from '../../support/docs/scenario.ts';
import { openShell } from '../../support/docs/shell.ts';
import { pinOf } from '../../support/http/pins.ts';
import { localCertificate } from '../../support/http/serving-files.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { addPerson } from '../../support/service/people.ts';
import { startTestService } from '../../support/service/service.ts';

const ZONESTEAD_ENCRYPTION_KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
// With limits, the writes of a team are counted.
const service = await startTestService({
  limits: true,
  settings: { ZONESTEAD_ENCRYPTION_KEYS },
  warnings: ['ZONESTEAD_READ_ONLY is set', 'cannot transfer from this node'],
});
const ada = await addPerson(service, { team: 'platform', email: 'ada@example.org' });
const folder = await temporaryFolder('operation-pages');
const env = {
  ...{ PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', ...COMPILED, DATABASE_URL: service.database.url },
  ...{ ZONESTEAD_URL: service.url, ZONESTEAD_API_KEY: ada.text, ZONESTEAD_ENCRYPTION_KEYS },
};
const shell = openShell({ cwd: folder, env });
await shell.type(`zonestead() { ${process.execPath} ${inject('program')} "$@"; }`);
afterAll(() => shell.close());

/** Types the commands of a scenario, and returns their outputs. */
async function type(steps: Promise<Step[]>, own: Own = {}): Promise<string[]> {
  const outputs: string[] = [];
  for (const step of await steps) outputs.push(await follow(step, { shell, own }));
  return outputs;
}

const platform = () => service.key({ team: 'platform' });
const create = async (name: string, text = ada.text) => {
  const { body } = await service.request('POST', '/zones', { zoneName: name, owner: `org:${ada.team}` }, text);
  const record = { name: 'www', type: 'A', content: '192.0.2.1' };
  await service.request('POST', `/zones/${body.id}/records`, record, text);
};
const addresses = async () => (await service.dns.lookup('www.shop.example', 'A')).answers.map((each) => each.slice(-9));

test('a reader sees the state of the service and the team that writes most, and collects facts without secrets', async () => {
  const key = await platform();
  await create('busy.example', key.text);
  const outputs = await type(scenario('incident'), { '70adf9caf16b': key.id });
  expect(outputs[0]).toMatch(/^ID .* WRITES\/MIN +NAME\n\S+ +1 +1 [^\n]* [12] +platform$/m);
  expect(outputs.join('\n')).toContain(`key ${key.id} is revoked`);
  const { output } = await shell.type('tail -n 99 report/*');
  for (const name of ['versions.txt', 'nodes.json', 'cordons.txt', 'secondaries.txt', 'usage.txt']) {
    expect(output).toContain(`==> report/${name} <==`);
  }
  expect(output).toContain('"isLiving": true');
  expect(output).toMatch(/^ok /m);
  for (const secret of [key.text, ada.text, 'yk_', 'yn_', 'PRIVATE KEY', '192.0.2.1']) {
    expect(output).not.toContain(secret);
  }
});

test('a reader takes one zone from a second, read-only api, and the service has its records again', async () => {
  await create('shop.example');
  const second = await service.anotherApi({ settings: { ZONESTEAD_READ_ONLY: 'a restored backup' } });
  const own = { 'http://127.0.0.1:8081': second.url };
  const [exported, compared, applied] = await scenario('one zone restored');
  if (exported === undefined || compared === undefined || applied === undefined) throw new Error('no commands');
  await follow(exported, { shell, own });
  await shell.type('zonestead records set shop.example www A 192.0.2.9');
  expect(await addresses()).toEqual(['192.0.2.9']);
  expect((await shell.type(compared.text)).output).toContain('192.0.2.1');
  await follow(applied, { shell });
  expect(await addresses()).toEqual(['192.0.2.1']);
});

test('a reader lists the records whose target does not exist, of all zones and of one', async () => {
  await create('second.example');
  for (const [zone, target] of [
    ['shop.example', 'blog.pages.example'],
    ['second.example', 'unregistered.example'],
  ] as const) {
    await shell.type(`zonestead records set ${zone} blog CNAME ${target}`);
    await service.sql`insert into record_targets (target, owner, domain, due_at, checked_at, absences, absent_since, absent_name,
        is_domain_absent)
      values (${`${target}.`}, ${ada.team}, ${target}, now() + interval '1 hour', now(), 3, '2026-01-02T03:04:05Z', ${target},
        ${zone === 'second.example'})`;
  }
  const [all, one] = await type(scenario('dangling names'));
  expect(all).toMatch(/^ZONE +NAME +TYPE +TARGET +MISSING +SINCE$/m);
  expect(all).toMatch(
    /^second\.example +blog +CNAME +unregistered\.example +the domain of unregistered\.example +2026-01-02/m,
  );
  expect(all).toMatch(/^shop\.example +blog +CNAME +blog\.pages\.example +blog\.pages\.example +2026-01-02T03:04:05/m);
  expect(one).toContain('shop.example');
  expect(one).not.toContain('second.example');
  // A record that was deleted is not listed any more.
  await shell.type('zonestead records delete shop.example blog CNAME --yes');
  expect((await shell.type('zonestead zones dangling shop.example')).output.trim()).toBe(
    'no record points to a name that is known not to exist',
  );
});

test('a reader lets the service write the PTR record of an address', async () => {
  const outputs = await type(scenario('reverse records'), { 'org:TEAM_ID': `org:${ada.team}` });
  expect(outputs.at(-1)).toMatch(/^www +A .* PTR +192\.0\.2\.10$/m);
  const { answers } = await service.dns.lookup('10.2.0.192.in-addr.arpa', 'PTR');
  expect(answers).toEqual(['10.2.0.192.in-addr.arpa 3600 PTR www.shop.example']);
  await shell.type('zonestead records delete shop.example www A 192.0.2.10 --yes');
});

test('a reader encrypts the private keys, and takes those that were lost from the name servers', async () => {
  const [encrypted, taken] = await type(scenario('private keys encrypted again'));
  expect(encrypted).toMatch(/^\d+ private keys are newly encrypted with the key "k1"$/m);
  expect(taken).toContain('0 private keys came from the name servers');
  expect(await service.sql`select from zone_keys where private_key not like 'v1.k1.%'`).toEqual([]);
});

test('a reader rolls the key of a zone, and cancels the roll', async () => {
  const [begun, status, cancelled] = await type(scenario('a key roll'));
  for (const output of [begun, status]) expect(output).toMatch(/^\d+ +13 ECDSAP256SHA256 +published /m);
  expect(status).toContain('the roll of the key');
  expect(cancelled).toContain('no key roll is under way');
});

test('a reader begins to give a zone another key that no thief has', async () => {
  const [begun, status] = await type(scenario('a new zone key'));
  expect([begun, status].join()).toMatch(/published .*waits for/s);
  expect(await service.dns.delv('shop.example', 'www.shop.example', 'A')).toMatchObject({ state: 'secure' });
  await shell.type('zonestead zones keys cancel shop.example');
});

test('a reader lists valid keys by their last use, those that were never used at the end', async () => {
  const [used, unused, revoked] = [await platform(), await platform(), await platform()];
  await service.request('GET', '/zones', undefined, used.text);
  await shell.type(`zonestead admin keys revoke ${revoked.id}`);
  // The api stores the last use of a key some time after it.
  await expect
    .poll(async () => lines(await type(scenario('keys by last use'))).find((line) => line.includes(used.id)), {
      timeout: 30_000,
    })
    .toMatch(/^\d{4}-/);
  const listed = lines(await type(scenario('keys by last use')));
  expect(listed.findIndex((line) => line.includes(unused.id))).toBeGreaterThan(
    listed.findIndex((line) => line.includes(used.id)),
  );
  expect(listed.find((line) => line.includes(unused.id))).toMatch(/^never\tno end\t/);
  expect(listed.some((line) => line.includes(revoked.id))).toBe(false);
});

test('a reader looks at the newest change of a restored database', async () => {
  const [look] = await scenario('restore drill');
  const { output } = await shell.type(`psql "$DATABASE_URL" -Atc "${look?.text}"`);
  expect(Date.parse(output)).toBeGreaterThan(Date.now() - 600_000);
});

test('a reader forgets a name server that was removed', async () => {
  await service.sql`insert into nodes select (jsonb_populate_record(nodes, '{"name": "zonestead-nameserver-2"}')).* from nodes`;
  const refused = await shell.type('zonestead admin nodes forget zonestead-nameserver-2');
  expect(refused.output).toContain('no silent node has the name');
  await service.sql`update nodes set reported_at = now() - interval '31 seconds' where name = 'zonestead-nameserver-2'`;
  await type(scenario('fewer name servers'));
  expect(await service.sql`select from nodes where name = 'zonestead-nameserver-2'`).toEqual([]);
});

test('a team leaves: its keys, trusts, zones and their names are gone, and no other team notices', async () => {
  await create('shop.example');
  const key = await platform();
  const trust = `zonestead admin trusts create --team platform --name robots --issuer https://login.example.org --match sub=robot-7 --only-name shop`;
  expect((await shell.type(trust)).code).toBe(0);
  const other = await service.zone('other.example');
  const outputs = await type(scenario('a team leaves'));
  expect(outputs.join('\n')).toContain(`key ${key.id} is revoked`);
  expect((await service.request('GET', '/zones', undefined, key.text)).status).toBe(401);
  expect(await service.sql`select from trusts where revoked_at is null`).toEqual([]);
  expect((await shell.type('zonestead admin teams list')).output).toContain('platform-left');
  expect(
    (await service.request('POST', '/zones', { zoneName: 'new.example', owner: `org:${ada.team}` }, ada.text)).status,
  ).toBe(403);
  // Another team gets the name.
  await service.zone('shop.example');
  expect((await service.request('GET', `/zones/${other.id}`)).status).toBe(200);
});

test('an owner renames a team', async () => {
  const grace = await addPerson(service, { team: 'platform', email: 'grace@example.org' });
  await shell.type(`ZONESTEAD_API_KEY=${grace.text}`);
  await type(scenario('renamed'));
  expect((await shell.type('zonestead teams list')).output).toMatch(/ dns-platform\n?$/m);
});

const lines = (outputs: string[]) => outputs.join('\n').split('\n');

test('a reader makes a secondary transfer over TLS alone, with its certificate', async () => {
  await service.zone('encrypted.example');
  // No name server of the tests sends messages to the address of the page.
  const add = 'zonestead admin secondaries add eu --address 127.0.0.1:1 --zone encrypted.example --no-notify';
  expect(await shell.type(add)).toMatchObject({ code: 0 });
  const { certificate } = await localCertificate();
  await writeFile(join(folder, 'tls.crt'), certificate);
  const shown = 'VF6lOEYQA+/cjIHCRFMbAD9vJs/M9sAHOzI5/e30lEY=';
  await type(scenario('transfers over TLS'), { [shown]: pinOf(certificate) });
  const { output } = await shell.type('zonestead admin secondaries show eu');
  expect(JSON.parse(output)).toMatchObject({
    requireTls: true,
    pins: ['TQKClBqvLWlN2qJPynXlA8c6sW//OITKwS85+IK8YMs='],
  });
});
