// Backup and restore with the very commands of docs/how-to/back-up-and-restore.md, on Debian's PostgreSQL: dump,
// destroy the whole server, restore into a new one. Every answer is as before, and the operator finds nothing to write.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchRecords, fetchZones } from '#client/lists.ts';
import { listDsRecords, listZoneChanges } from '#contract/operations/zones.ts';
import { runCommand } from '../../deploy/local/parts/commands.ts';
import { removePostgresState } from '../../deploy/local/parts/postgres.ts';
import { readPage } from '../support/docs/document.ts';
import { scenario } from '../support/docs/scenario.ts';
import { findConditionOfType, type Watched } from '../support/kube/kstatus.ts';
import { debianPostgres } from '../support/postgres/debian-postgres.ts';
import { temporaryFolder } from '../support/runner/temporary.ts';
import { recordObject, startTestStack, type TestStack, zoneObject } from '../support/stack/stack.ts';

const { signal } = new AbortController();
const ZONES = ['kept.example', 'parked.example'];
const RECORDS = [
  { name: '@', type: 'MX', values: [{ content: 'mail.kept.example', priority: 10 }] },
  { name: '@', type: 'TXT', content: 'v=spf1 -all' },
  { name: 'mail', type: 'A', content: '192.0.2.25' },
  { name: 'www', type: 'CNAME', content: 'mail.kept.example' },
  { name: '*.apps', type: 'A', ttl: 60, values: [{ content: '192.0.2.1' }, { content: '192.0.2.2' }] },
  { name: 'a.b.c', type: 'AAAA', content: '2001:db8::1' },
  { name: '_sip._tcp', type: 'SRV', content: '1 2 5060 mail.kept.example' },
];
const QUESTIONS = [
  ...ZONES.flatMap((zone) => ['SOA', 'NS', 'DNSKEY', 'CDS', 'CDNSKEY'].map((type) => [zone, type] as const)),
  ...RECORDS.map(({ name, type }) => [`${name.replace('*', 'any')}.kept.example`.replace('@.', ''), type] as const),
  ['mail.kept.example', 'TXT'],
  ['nothing.kept.example', 'A'],
  ['www.parked.example', 'A'],
] as const;
const MANY = 30;

let programs: string;
let folder: string;
let stack: TestStack;

beforeAll(async () => {
  programs = await debianPostgres();
  folder = await temporaryFolder('backup');
  stack = await startTestStack({ postgresPrograms: programs });
});
afterAll(() => stack?.stop());

async function shell(text: string, url: string): Promise<void> {
  const env = { PATH: `${programs}:${process.env.PATH}`, DATABASE_URL: url };
  const command = { command: '/bin/sh', args: ['-ec', text], env, cwd: folder, timeoutMs: 150_000, signal };
  const { code, tail } = await runCommand(command);
  if (code !== 0) throw new Error(`${text}: ${tail}`);
}

const answers = () =>
  Promise.all(
    QUESTIONS.map(async ([name, type]) => [name, type, await stack.rcode(name, type), await stack.dig(name, type)]),
  );

/** All that can be seen from outside: DNS, the API, the history. */
async function everything() {
  const dns = await answers();
  const zones = await fetchZones(stack.client, {});
  const inside = await Promise.all(
    zones.map(async ({ id }) => [
      await fetchRecords(stack.client, id, {}),
      (await stack.client.call(listDsRecords, { params: { id } })).ds,
      await stack.client.call(listZoneChanges, { params: { id }, query: { limit: 100 } }),
    ]),
  );
  return { dns, zones, inside };
}

/** The writes that the operator has sent since it started, without its heartbeats. */
async function operatorWrites(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${stack.stack.healthPorts.operator}/metrics`)).text();
  const sum = (found: Iterable<RegExpMatchArray>) =>
    [...found].reduce((total, { groups }) => total + Number(groups?.count), 0);
  const requests = text.matchAll(/^zonestead_service_requests_total\{method="(?!GET)\w+",code="\w+"\} (?<count>\d+)/gm);
  return sum(requests) - sum(text.matchAll(/^zonestead_heartbeats_total\{.*\} (?<count>\d+)/gm));
}

/** Reasons of Ready of all objects: only `Ready` when the service answers and all is well. */
async function reasons(): Promise<string[]> {
  const items = [...(await stack.kube.list<Watched>('zdz')), ...(await stack.kube.list<Watched>('zdr'))];
  const ready = items.map((object) => findConditionOfType(object, 'Ready')?.reason ?? 'none');
  return [...new Set(ready)];
}

test('a restore brings everything back from a dump into a new server, and the operator writes nothing', {
  timeout: 600_000,
}, async () => {
  const { service, operator } = stack.stack;
  const records = RECORDS.map((spec, index) => recordObject(`r${index}`, 'kept', spec));
  const many = Array.from({ length: MANY }, (_, index) =>
    recordObject(`many-${index}`, 'kept', { name: `many-${index}`, type: 'A', content: `192.0.2.${index}` }),
  );
  const applied = await stack.apply(
    zoneObject('kept', 'kept.example'),
    zoneObject('parked', 'parked.example', { parked: true }),
    ...records,
    ...many,
  );
  expect(applied).toMatchObject({ ok: true });
  const objects = [...records, ...many] as { metadata: { name: string } }[];
  await stack.ready('zdz/kept', 'zdz/parked', ...objects.map(({ metadata }) => `zdr/${metadata.name}`));
  const before = await everything();
  expect(before.zones).toHaveLength(ZONES.length);
  expect(before.dns.filter(([, , rcode]) => rcode === 'NOERROR').length).toBeGreaterThan(RECORDS.length);

  const [dump, restore] = (await scenario('backup')).map(({ text }) => text);
  const roles = (await readPage('docs/how-to/back-up-and-restore.md')).blocks.find(
    ({ language }) => language === 'sql',
  )?.text;
  await shell(dump as string, service.databaseUrl);

  // No replica of the api may start on the empty database: it would make its tables there.
  await service.running.part('api').stop();
  const stateDir = dirname(dirname(service.running.part('postgres').logFile));
  await service.running.part('postgres').stop();
  await removePostgresState(stateDir);
  // The name servers know all they need.
  expect(await answers()).toEqual(before.dns);
  await service.running.start('postgres');

  const url = new URL(service.databaseUrl);
  const superuser = await readFile(join(stateDir, 'postgres', 'password'), 'utf8');
  const admin = `postgres://postgres:${superuser}@${url.host}/postgres`;
  const statements = (roles as string).replaceAll('…', url.password);
  const lines = statements.split('\n').map((line) => line.trim());
  await shell(`psql --quiet --set=ON_ERROR_STOP=1 "$DATABASE_URL" <<'SQL'\n${lines.join('\n')}\nSQL`, admin);
  await shell(restore as string, service.databaseUrl);
  const sql = postgres(service.databaseUrl, { max: 1 });
  const ahead = async () =>
    (
      await sql`select count(*)::integer as n from zones where changed_xid >= pg_snapshot_xmax(pg_current_snapshot())`
    )[0]?.n;
  try {
    // Transaction ids start over in a new server; those of the dump belong to the old one.
    expect(await ahead()).toBeGreaterThan(0);
    await service.running.start('api');
    expect(await ahead()).toBe(0);
  } finally {
    await sql.end();
  }

  await expect.poll(everything, { interval: 500 }).toEqual(before);
  expect(await stack.delv('kept.example', 'any.apps.kept.example', 'A')).toContain('fully validated');
  await expect.poll(reasons, { interval: 500 }).toEqual(['Ready']);
  // A new operator looks at every object again.
  await operator.part('operator').stop();
  await operator.start('operator');
  const settled = async () => {
    const text = await (await fetch(`http://127.0.0.1:${stack.stack.healthPorts.operator}/metrics`)).text();
    const runs = /^zonestead_controller_reconcile_total\{controller="records",result="success"\} (\d+)/m.exec(text);
    return Number(runs?.[1] ?? 0);
  };
  await expect.poll(settled).toBeGreaterThanOrEqual(RECORDS.length + MANY);
  // A heartbeat is counted before and after its answer.
  await expect.poll(operatorWrites).toBe(0);
  expect(await everything()).toEqual(before);

  // And normal operation continues: a new write is served at once.
  const edited = recordObject('many-0', 'kept', { name: 'many-0', type: 'A', content: '198.51.100.9' });
  expect(await stack.apply(edited)).toMatchObject({ ok: true });
  await expect
    .poll(() => stack.dig('many-0.kept.example', 'A'))
    .toEqual(['many-0.kept.example. 3600 IN A 198.51.100.9']);
});
