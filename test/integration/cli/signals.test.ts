// Signals on the command line: the commands of the page as a reader types them, and the options of keys.
import { expect, test, vi } from 'vitest';
import { scenario } from '../../support/docs/scenario.ts';
import { complaint } from '../../support/docs/shown.ts';
import { zonestead } from '../../support/program/command-line.ts';
import { addPerson } from '../../support/service/people.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService();
const admin = await service.key({ team: 'platform' });
const person = await addPerson(service, { team: 'platform' });
vi.stubEnv('ZONESTEAD_URL', service.url);
vi.stubEnv('ZONESTEAD_API_KEY', admin.text);
vi.stubEnv('NO_COLOR', '1');

/** The words of a command of a page. */
const split = (text: string) => [...text.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
const asKey = async (key: string, words: string[]) => {
  vi.stubEnv('ZONESTEAD_API_KEY', key);
  try {
    return await zonestead(...words);
  } finally {
    vi.stubEnv('ZONESTEAD_API_KEY', admin.text);
  }
};

test('a reader makes a check for a monitor with a key of its own, and the monitor takes an address out', async () => {
  const zone = await service.zone('login.example', admin);
  const served = async () =>
    (await service.dns.lookup('www.login.example', 'A')).answers.map((line) => line.split(' ').at(-1)).sort();
  let monitor = '';
  for (const { text, shown } of await scenario('health signals')) {
    if (text.startsWith('curl')) {
      // The page sends the same over HTTP.
      const [, body = ''] = /-d '([^']+)'/.exec(text) ?? [];
      const answer = await service.request('PUT', '/../checks/login/signal', JSON.parse(body), monitor);
      expect(answer).toMatchObject({ status: 200, body: { address: null, state: 'Healthy' } });
      continue;
    }
    const isMonitor = text.startsWith('zonestead checks signal');
    const key = text.startsWith('zonestead keys') ? person.text : isMonitor ? monitor : admin.text;
    const { out } = await asKey(key, split(text).slice(1));
    expect(complaint([...shown], out, new Map())).toBeUndefined();
    monitor = /yk_\S+/.exec(out)?.[0] ?? monitor;
    if (text.startsWith('zonestead checks set'))
      for (const content of ['203.0.113.10', '198.51.100.10'])
        await service.request(
          'POST',
          `/zones/${zone.id}/records`,
          { name: 'www', type: 'A', content, check: 'login' },
          admin.text,
        );
    if (isMonitor) await expect.poll(served).toEqual(['198.51.100.10']);
  }
  expect(await asKey(monitor, ['checks', 'list'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('forbidden'),
  });
});

test('the options of a signal are checked before it is sent, and a dry run sends nothing', async () => {
  await zonestead('checks', 'set', 'dry', '--type', 'signal');
  const dry = await zonestead('checks', 'signal', 'dry', 'Healthy', '--dry-run');
  expect(dry.out).toBe('would send Healthy for all addresses of the check dry, for 300 s\n');
  expect(JSON.parse((await zonestead('checks', 'show', 'dry', '-o', 'json')).out).signals).toEqual([]);
  const wrong = await zonestead('checks', 'signal', 'dry', 'Healthy', '--for', '5s', '--reason', '');
  expect(wrong.err).toContain('--for must be a whole number of seconds from 10 to 86400');
  expect(wrong.err).toContain('--reason must be a line of text');
  expect((await zonestead('checks', 'set', 'dry', '--type', 'signal', '--port', '80')).err).toContain('omit port');
});

test('the right to send signals is an option of a key, and can be removed', async () => {
  const words = ['--team', 'platform', '-o', 'json'];
  const mint = ['keys', 'mint', '--name', 'x', '--records', 'none', '--signal', 'web', '--signal', 'shop-*', ...words];
  const { id, signals } = JSON.parse((await asKey(person.text, mint)).out);
  expect(signals).toEqual(['web', 'shop-*']);
  const wrong = await asKey(person.text, ['keys', 'update', id, '--signal', 'Web', ...words]);
  expect(wrong.err).toContain('--signal must be the name of a check');
  const changed = await asKey(person.text, ['keys', 'update', id, '--no-signal', ...words]);
  expect(JSON.parse(changed.out).signals).toEqual([]);
});
