// The commands of the administrator about people.
import { expect, test, vi } from 'vitest';
import { zonestead as command } from '../../support/program/command-line.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
async function zonestead(words: string[]) {
  vi.stubEnv('DATABASE_URL', service.database.url);
  try {
    return await command(...words);
  } finally {
    vi.unstubAllEnvs();
  }
}
const json = async (...words: string[]) => JSON.parse((await zonestead([...words, '-o', 'json'])).out);
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';

test('admin users list, suspend, resume, link and remove show what they do, and change nothing in a dry run', async () => {
  const text = lastLine(
    (await zonestead(['admin', 'users', 'add', '--email', 'eve@example.org', '--team', 'eves', '--create-team'])).out,
  );
  const status = async () => (await service.request('GET', '/../account', undefined, text)).status;
  const eve = ['--email', 'Eve@example.org'];
  expect((await zonestead(['admin', 'users', 'list'])).out).toMatch(
    /^user_\w+ +eve@example\.org +active +- +eves:owner +eve@/m,
  );
  expect((await zonestead(['admin', 'users', 'suspend', ...eve, '--dry-run'])).out).toMatch(/^dry run: suspended /);
  expect(await status()).toBe(200);
  expect((await zonestead(['admin', 'users', 'suspend', ...eve])).out).toMatch(
    /^suspended Eve@example\.org: sessions have ended/,
  );
  expect(await status()).toBe(401);
  expect((await zonestead(['admin', 'users', 'resume', ...eve])).out).toMatch(/^resumed /);
  expect(await status()).toBe(200);
  const account = ['--issuer', 'https://idp.example', '--subject', 'eve'];
  const wrong = await zonestead(['admin', 'users', 'link', ...eve, '--issuer', 'idp.example', '--subject', 'eve']);
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('must be the address in the claim "iss"')]);
  expect((await zonestead(['admin', 'users', 'link', ...eve, ...account])).out).toBe(
    'the account "eve" of https://idp.example belongs to Eve@example.org\n',
  );
  expect(await json('admin', 'users', 'list')).toMatchObject({
    users: expect.arrayContaining([
      expect.objectContaining({
        email: 'eve@example.org',
        identities: [{ issuer: 'https://idp.example', subject: 'eve' }],
      }),
    ]),
  });
  const refused = await zonestead(['admin', 'users', 'remove', ...eve]);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('is the only owner of "eves"')]);
  expect((await zonestead(['admin', 'users', 'remove', ...eve, '--force'])).out).toBe(
    'removed Eve@example.org, who was in eves (owner)\n',
  );
  expect(await status()).toBe(401);
  const unknown = await zonestead(['admin', 'users', 'suspend', ...eve]);
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('there is no user Eve@example.org')]);
});
