// Types the commands of the pages for one machine, word for word and in the order of the pages, in a copy of the
// checkout: first with the stack of `npm run up`, then with that of `npm run up -- --cert-manager`. The output must be
// the output that the pages show.
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findCommand } from '../../../deploy/local/parts/commands.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { type Checkout, copyCheckout } from '../../support/docs/checkout.ts';
import { PROJECT, readPage } from '../../support/docs/document.ts';
import { PAGES, type ScenarioName } from '../../support/docs/plan.ts';
import { follow, type Own, type Reading, typed } from '../../support/docs/reader.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { openShell, type Shell } from '../../support/docs/shell.ts';
import { complaint, type Ids } from '../../support/docs/shown.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import { type RunningUp, typeUp } from './up-from-page.support.ts';

/** As a reader has it who has Node 24 or later: the pages call it `node`. */
const env = {
  PATH: `${PROJECT}node_modules/.bin:${process.env.PATH}`,
  HOME: process.env.HOME,
  LANG: 'C.UTF-8',
  ...COMPILED,
};
const pages = await Promise.all(PAGES.map(readPage));
const tour = [...(await scenario('tour')), ...(await scenario('pictures'))];
const certificates = await scenario('certificates');
const byHand = [...(await scenario('solver by hand')), ...(await scenario('secrets'))];
const bySymptom = await scenario('by symptom');
const acmeFiles = await scenario('acme files');
const provider = await scenario('external-dns provider');
const inTheTree = await scenario('generated');
const kind = await scenario('kind');
let checkout: Checkout;
let up: RunningUp;
let shell: Shell;
const ids: Ids = new Map();
const reading = (): Reading => ({ shell, ids, own: { '<ns>': 'default' } });

const oneOf = async (name: ScenarioName) => {
  const [step] = await scenario(name);
  return step?.text ?? '';
};
const start = async (name: ScenarioName) => {
  up = await typeUp(await oneOf(name), checkout.folder, env);
  shell = openShell({ cwd: checkout.folder, env });
};
const stop = async () => {
  await shell?.close();
  return up?.stop();
};

const setting = async (name: string) => (await shell.type(`printf %s "$${name}"`)).output;

/** The reader's folders in place of /opt, /etc and /usr/local on the page, and the reader's name of the service. */
async function acmeOwn(): Promise<Own> {
  const { folder } = checkout;
  for (const name of ['etc', 'local', 'acme.sh']) await mkdir(join(folder, name), { recursive: true });
  const [url, key] = [await setting('ZONESTEAD_URL'), await setting('ZONESTEAD_API_KEY')];
  await writeFile(join(folder, 'etc/acme'), `ZONESTEAD_URL=${url}\nZONESTEAD_API_KEY=${key}\n`, { mode: 0o600 });
  return {
    '/opt/zonestead': folder,
    '/etc/zonestead': join(folder, 'etc'),
    '/usr/local/bin': join(folder, 'local'),
    '~/.acme.sh/dnsapi': join(folder, 'acme.sh'),
    'https://dns.example.net': url,
    'auth.example.org': 'auth.quickstart.example',
    'yk_…': key,
  };
}

/** The values of the words in capitals: an object of the example, or its name in DNS. */
async function symptomOwn(command: string): Promise<Own> {
  const [address = '', port = ''] = (await setting('ZONESTEAD_DNS')).split(':');
  const server = `${address} -p ${port}`;
  const name = /\bzdr\b/.test(command) ? 'www' : /\bzdz\b/.test(command) ? 'quickstart' : 'www.quickstart.example';
  return {
    ...{ NAME: name, TYPE: 'A', ZONE: 'quickstart.example', TARGET: name, NAMESPACE: 'default', TEAM: 'platform' },
    '<zone>': 'quickstart.example',
    ...{ SERVER: server, ADDRESS: server, RESOLVER: server, PID: '0' },
  };
}

beforeAll(async () => {
  checkout = await copyCheckout();
  // The tutorial continues from README's example: its files win.
  for (const { blocks } of pages.toSorted((a, b) => Number(b.path === 'README.md') - Number(a.path === 'README.md')))
    for (const { file, text } of blocks) if (file) await writeFile(join(checkout.folder, file), `${text}\n`);
});
afterAll(async () => {
  await stop();
  await checkout?.remove();
});

describe('the tour', () => {
  beforeAll(() => start('up'), 600_000);
  afterAll(stop);

  test('the tour begins with the output of `npm run up`', () => {
    const tutorial = pages.find(({ path }) => path === 'docs/tutorials/first-zone.md');
    const shown = tutorial?.blocks.find(({ language }) => language === '')?.text ?? '';
    expect(complaint(shown.split('\n'), up.output(), ids, true)).toBeUndefined();
  });

  test.each(tour)('the command of the tour works: $text', async (step) => void (await follow(step, reading())));
});

describe('with cert-manager', () => {
  beforeAll(async () => {
    await start('up with cert-manager');
    await shell.type('source .local/env');
  }, 600_000);
  afterAll(stop);

  test.each(certificates)(
    'the command of the page about certificates works: $text',
    async (step) => void (await follow(step, reading())),
  );

  test.each(acmeFiles)('the command of the page about ACME clients works: $text', async (step) => {
    await follow(step, { ...reading(), own: await acmeOwn() });
  });

  test.each(provider)('the command of the page about external-dns works: $text', async (step) => {
    const own = await acmeOwn();
    const { port = 0 } = await allocatePorts([{ name: 'port' }], { stateDir: checkout.folder });
    await shell.type(`export ZONESTEAD_EXTERNAL_DNS_LISTEN=127.0.0.1:${port} ZONESTEAD_HEALTH_LISTEN=127.0.0.1:0`);
    // It runs until it is ended: into the background with it.
    await shell.type(`${typed(step.text, own).replace(/ #.*/, '')} > provider.log 2>&1 &`);
    const asked = `curl -s --retry 40 --retry-delay 1 --retry-connrefused http://127.0.0.1:${port}/`;
    expect((await shell.type(asked)).output).toContain('quickstart.example');
  });

  test.each(bySymptom)('the command of the page of symptoms works: $text', async (step) => {
    const sql = /^select/.test(step.text) ? { ...step, text: `psql "$DATABASE_URL" -c "${step.text}"` } : step;
    await follow(sql, { ...reading(), own: await symptomOwn(step.text) });
  });

  test.each(byHand)(
    'the command that is typed by hand works: $text',
    async (step) => void (await follow(step, reading())),
  );
});

describe('in the tree', () => {
  beforeAll(() => {
    shell = openShell({ cwd: checkout.folder, env });
  });
  afterAll(() => shell.close());

  test.each(inTheTree)(
    'the command that generates files works: $text',
    async (step) => void (await follow(step, reading())),
  );

  // With a container engine it would create a cluster: this reader has only the programs that npm needs.
  test.each(kind)('the command refuses to work without a container engine: $text', async (step) => {
    const bin = join(checkout.folder, 'few-programs');
    await mkdir(bin);
    for (const name of ['bash', 'sh', 'npm', 'dirname', 'env'])
      await symlink(findCommand(name) ?? name, join(bin, name));
    await symlink(process.execPath, join(bin, 'node'));
    const poor = openShell({ cwd: checkout.folder, env: { ...env, PATH: bin } });
    try {
      expect(await follow(step, { shell: poor })).toMatch(/^no container engine \(docker, podman, nerdctl\): .*$/m);
    } finally {
      await poor.close();
    }
  });
});
