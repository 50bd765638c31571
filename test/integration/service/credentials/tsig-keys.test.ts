// TSIG keys of app keys: made with the app key, shown once, and found only while the app key may be used.
import { afterAll, expect, test } from 'vitest';
import { findTsigKey } from '#service/keys/tsig.ts';
import { openDatabase } from '#store/database.ts';
import { accountApi, addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { send, says } = accountApi(service);
const member = await addPerson(service, { team: 'red', role: 'member' });
const keys = `/teams/${member.team}/keys`;
const { db, close } = openDatabase(service.database.url, { max: 1, name: 'tsig-keys' });
afterAll(() => close());

interface Minted {
  id: string;
  secret: string;
  tsig: { name: string; algorithm: string; secret: string; keyFile: string };
}
const mint = async (terms: object): Promise<Minted> => {
  const { status, body } = await send(member, 'POST', keys, { name: 'test', ...terms });
  expect(status).toBe(201);
  return body as unknown as Minted;
};
const find = (name: string, address = '127.0.0.1', now = new Date()) =>
  findTsigKey({ db, now: () => now }, name, address);

test('a TSIG key is shown once, as a key file too, and its secret is in no list and no history', async () => {
  const { id, tsig } = await mint({ tsig: {} });
  expect(tsig).toEqual({
    name: `key-${id}.zonestead`,
    algorithm: 'hmac-sha256',
    secret: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
    keyFile: `key "${tsig.name}" {\n\talgorithm hmac-sha256;\n\tsecret "${tsig.secret}";\n};\n`,
  });
  for (const path of [keys, `${keys}/${id}`, `/teams/${member.team}/changes`]) {
    const { text } = await send(member, 'GET', path);
    expect(text).toContain(tsig.name);
    expect(text).not.toContain(tsig.secret);
    expect(text).not.toContain(JSON.stringify(tsig.secret).slice(1, -1));
  }
});

test('a TSIG key is not made without a request for it', async () => {
  for (const terms of [{}, { tsig: null }]) {
    const { id, tsig } = await mint(terms);
    expect(tsig).toBeNull();
    expect(await find(`key-${id}.zonestead`)).toBeNull();
  }
});

test.each([
  ['hmac-md5', 16],
  ['hmac-sha1', 20],
  ['hmac-sha224', 28],
  ['hmac-sha256', 32],
  ['hmac-sha384', 48],
  ['hmac-sha512', 64],
])('a TSIG key with %s has a secret of %i octets, and other secrets than the app key', async (algorithm, octets) => {
  const { id, secret, tsig } = await mint({ tsig: { algorithm } });
  expect(Buffer.from(tsig.secret, 'base64')).toHaveLength(octets);
  const found = await find(tsig.name);
  expect(found).toMatchObject({ name: tsig.name, algorithm, actor: { keyId: id } });
  expect(found?.secret.toString('base64')).toBe(tsig.secret);
  expect(secret).not.toContain(found?.secret.toString('hex'));
});

test('a TSIG key with another algorithm is refused, with the list of those that exist', async () => {
  const reply = await send(member, 'POST', keys, { name: 'test', tsig: { algorithm: 'gss-tsig' } });
  expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('hmac-md5, hmac-sha1, hmac-sha224')]);
  expect(await says(member, 'POST', keys, { name: 'test', tsig: 'yes' })).toBe('400 bad_request');
});

test('a TSIG key has the rights of its app key, and is found in any case of its name', async () => {
  const rights = { records: 'write', onlyNames: ['_acme-challenge'], onlyTypes: ['TXT'] };
  const { tsig } = await mint({ ...rights, tsig: {} });
  const found = await find(tsig.name.toUpperCase());
  expect(found?.actor).toMatchObject({ onlyNames: ['_acme-challenge'], onlyTypes: ['TXT'] });
});

test('a TSIG key is found only from the networks of its app key, until its end, and never after it was revoked', async () => {
  const end = new Date(Date.now() + 3_600_000);
  const { id, tsig } = await mint({ tsig: {}, networks: ['192.0.2.0/24'], expiresAt: end.toISOString() });
  expect(await find(tsig.name, '192.0.2.7')).not.toBeNull();
  expect(await find(tsig.name, '198.51.100.7')).toBeNull();
  expect(await find(tsig.name, '192.0.2.7', end)).toBeNull();
  expect((await send(member, 'DELETE', `${keys}/${id}`)).status).toBe(204);
  expect(await find(tsig.name, '192.0.2.7')).toBeNull();
});

test('a TSIG key notes the use of its app key', async () => {
  const { id, tsig } = await mint({ tsig: {} });
  await (await find(tsig.name))?.used('RFC 2136');
  expect((await send(member, 'GET', `${keys}/${id}`)).body).toMatchObject({ lastUsedAt: expect.any(String) });
});

test.each(['', 'key-.zonestead', 'key-zz.zonestead', 'key-a.b.zonestead', `key-${'a'.repeat(33)}.zonestead`, 'x\0y'])(
  'a TSIG key with the name %j does not exist',
  async (name) => {
    expect(await find(name)).toBeNull();
  },
);

test('messages with names of keys that do not exist share look-ups, and each name is asked for once in some seconds', async () => {
  const statements: unknown[] = [];
  const counted = new Proxy(db, {
    get: (target, name) =>
      name !== 'client'
        ? Reflect.get(target, name)
        : new Proxy(target.client, {
            get: (client, method) =>
              method !== 'unsafe'
                ? Reflect.get(client, method)
                : (...args: unknown[]) => {
                    statements.push(args[0]);
                    return Reflect.apply(client.unsafe as never, client, args);
                  },
          }),
  }) as typeof db;
  const ask = (names: readonly string[]) =>
    Promise.all(names.map((name) => findTsigKey({ db: counted, now: () => new Date() }, name, '192.0.2.1')));
  const names = Array.from({ length: 500 }, (_, n) => `key-${n.toString(16).padStart(12, '0')}.zonestead`);
  expect(new Set(await ask(names))).toEqual(new Set([null]));
  expect([statements.length > 0, statements.length < 5]).toEqual([true, true]);
  statements.length = 0;
  await ask(names);
  expect(statements).toEqual([]);
});
