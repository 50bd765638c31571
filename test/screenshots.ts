// `node test/screenshots.ts`: takes the pictures of the console in the documentation from a running stack, into
// docs/images/console/. ZONESTEAD_URL, ZONESTEAD_API_KEY, ZONESTEAD_TEAM, ZONESTEAD_PERSON_KEY and DATABASE_URL name
// the stack (`source .local/env`); it should be a fresh one (`npm run up -- --fresh`). The program creates through the
// REST API the objects that the pictures need in addition to the stack's example, and in its database the figures of a
// day, because a fresh stack has none. Arguments name the pictures to take (default: all).
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import postgres from 'postgres';

const FOLDER = new URL('../docs/images/console', import.meta.url).pathname;
const SIZE = { width: 1100, height: 720 };
/** The pictures are part of every clone. */
const MAX_BYTES = 200_000;
/** A child of a zone that is hosted here too, so that its chain of trust is complete. */
const PARENT = 'acme.example';
const ZONE = `shop.${PARENT}`;
const RECORDS = [
  { name: '@', type: 'A', content: '192.0.2.10' },
  { name: '@', type: 'MX', content: `mail.${ZONE}`, priority: 10 },
  { name: 'www', type: 'A', content: '192.0.2.10' },
  { name: 'www', type: 'AAAA', content: '2001:db8::10' },
  { name: 'mail', type: 'A', content: '192.0.2.25' },
  { name: '_dmarc', type: 'TXT', content: '"v=DMARC1; p=reject"' },
  { name: '*.apps', type: 'CNAME', content: `www.${ZONE}` },
];

/** More zones of the list, with their comments. */
const OTHERS = [
  { zoneName: 'intranet.example', comment: 'Only for the offices' },
  { zoneName: 'legacy.example', comment: 'Old customers: ask the support team before a change' },
  { zoneName: 'status.example' },
];
const wanted = process.argv.slice(2);

const setting = (name: string): string => {
  const text = process.env[name];
  if (!text) throw new Error(`${name} is not set: start the stack with "npm run up", then "source .local/env".`);
  return text;
};
const [url, team] = [setting('ZONESTEAD_URL'), setting('ZONESTEAD_TEAM')];

async function api<T>(method: string, path: string, body?: object, key = setting('ZONESTEAD_API_KEY')): Promise<T> {
  const answer = await fetch(`${url}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (answer.status === 429) {
    await sleep(1_000 * Number(answer.headers.get('retry-after')));
    return api(method, path, body, key);
  }
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as T;
}

/** The zone of the pictures with its records. Creates it unless it exists. */
async function prepareZone(): Promise<string> {
  const { zones } = await api<{ zones: { id: string }[] }>('GET', `/dns/zones?zoneName=${ZONE}`);
  if (zones[0]) return zones[0].id;
  await api('POST', '/dns/zones', { zoneName: PARENT, owner: `org:${team}` });
  const { id } = await api<{ id: string }>('POST', '/dns/zones', { zoneName: ZONE, owner: `org:${team}` });
  for (const record of RECORDS) await api('POST', `/dns/zones/${id}/records`, record);
  for (const other of OTHERS) await api('POST', '/dns/zones', { ...other, owner: `org:${team}` });
  return id;
}

/** The figures of the overview: queries and changes of three name servers for a day, and changes for two weeks. */
async function prepareFigures(): Promise<void> {
  const sql = postgres(setting('DATABASE_URL'), { max: 1 });
  const [slot, slots, now] = [900, 96, Date.now()];
  for (const [busy, node] of [3, 2, 1].map((weight, at) => [weight, `ns${at + 1}`] as const)) {
    let [noerror, applied, appliedSeconds] = [0, 0, 0];
    for (let at = 0; at <= slots; at += 1) {
      // More by day than by night, and never a straight line.
      const rate = busy * (30 + 20 * Math.sin((at / slots) * 2 * Math.PI - 1) + ((at * 37 + busy * 11) % 13) / 2);
      noerror += Math.round(rate * slot);
      const changes = busy + (at % 5);
      applied += changes;
      appliedSeconds += changes * (0.2 + 0.08 * Math.sin(at / 9) + 0.03 * Math.cos(at));
      const answers = {
        noerror,
        nxdomain: Math.round(noerror / 7),
        servfail: 0,
        refused: Math.round(noerror / 40),
        other: 0,
      };
      const row = { node, instance: 'pictures', at: new Date(now - (slots - at) * slot * 1_000), applied };
      await sql`insert into node_samples ${sql({ ...row, answers: sql.json(answers), applied_seconds: appliedSeconds } as never)} on conflict do nothing`;
    }
  }
  for (let days = 1; days < 14; days += 1) {
    const [day, changes] = [new Date(now - days * 86_400_000).toISOString().slice(0, 10), 12 + ((days * 37) % 61)];
    await sql`insert into change_days (owner, day, changes) values (${team}, ${day}, ${changes}) on conflict do nothing`;
  }
  await sql.end();
}

async function take(
  page: Page,
  name: string,
  path: string,
  height = SIZE.height,
  prepare: (page: Page) => Promise<unknown> = async () => undefined,
): Promise<void> {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  await page.setViewportSize({ ...SIZE, height });
  await page.goto(`${url}${path}`, { waitUntil: 'networkidle' });
  await prepare(page);
  const file = join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file, animations: 'disabled' });
  const { size } = await stat(file);
  process.stdout.write(`${name}.png: ${Math.round(size / 1000)} kB\n`);
  if (size > MAX_BYTES) throw new Error(`${name}.png is larger than ${MAX_BYTES} bytes`);
}

/** A record with several fields, typed into the form. */
async function typeRecord(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add record' }).click();
  await page.getByLabel('Type', { exact: true }).selectOption('SRV');
  await page.getByLabel('Port').waitFor();
  const values = { Name: '@', Service: '_sip', Priority: '10', Weight: '5', Port: '5060', Target: `sip.${ZONE}` };
  for (const [label, value] of Object.entries(values)) {
    await page.getByRole('form', { name: 'Add a record' }).getByLabel(label, { exact: true }).fill(value);
  }
  await page.locator('.preview').getByText(`10 5 5060 sip.${ZONE}.`).waitFor();
}

const zone = await prepareZone();
await prepareFigures();
const person = setting('ZONESTEAD_PERSON_KEY');
const { keys } = await api<{ keys: { name: string }[] }>('GET', `/account/teams/${team}/keys`, undefined, person);
if (!keys.some((key) => key.name === 'certificates')) {
  const only = { onlyNames: ['_acme-challenge', '_acme-challenge.*'], onlyTypes: ['TXT'] };
  await api('POST', `/account/teams/${team}/keys`, { name: 'certificates', records: 'write', ...only }, person);
}
await mkdir(FOLDER, { recursive: true });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto(`${url}/console/sign-in`);
  await page.getByLabel('Personal API key').fill(person);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(/\/console\/(?!sign-in)/);
  await take(page, 'overview', '/console/', 900);
  await take(page, 'zones', '/console/zones');
  await take(page, 'zone', `/console/zones/${zone}`, 900);
  await take(page, 'record', `/console/zones/${zone}`, 800, typeRecord);
  await take(page, 'live', `/console/zones/${zone}/live?name=www&type=A`, 1_150);
  await take(page, 'apps', `/console/teams/${team}/apps`);
  await take(page, 'quota', `/console/teams/${team}/quota`, 600);
  await page.emulateMedia({ colorScheme: 'dark' });
  await take(page, 'history', `/console/zones/${zone}/history`);
} finally {
  await browser.close();
}
