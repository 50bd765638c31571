// The files that pages load: compressed for browsers, the same for others, and few of them.
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { startConsoleService, visit } from '../../support/console/console.ts';

const service = await startConsoleService({ nameserver: false });
const { text } = await visit(service).get('/console/sign-in');
const addresses = [...text.matchAll(/(?:src|href)="(\/console\/assets\/[^"]*)"/g)].map(([, address]) =>
  String(address),
);

test('a page loads at most seven files, which have a third of their size for a browser', async () => {
  expect(addresses).toHaveLength(new Set(addresses).size);
  expect(addresses.length).toBeLessThanOrEqual(7);
  let [sent, whole] = [0, 0];
  for (const address of addresses) {
    const small = await request(`${service.url}${address}`, { headers: { 'accept-encoding': 'br, gzip' } });
    const plain = await request(`${service.url}${address}`);
    expect([small.headers['content-encoding'], plain.headers['content-encoding']]).toEqual(['gzip', undefined]);
    for (const { headers } of [small, plain]) {
      expect(headers['content-type']).toMatch(/^(text\/css|(text|application)\/javascript|image\/svg\+xml)/);
      expect(headers['cache-control']).toMatch(/max-age=31536000.*immutable/);
      expect(headers.vary).toMatch(/accept-encoding/i);
    }
    const [packed, original] = [
      Buffer.from(await small.body.arrayBuffer()),
      Buffer.from(await plain.body.arrayBuffer()),
    ];
    expect(gunzipSync(packed).equals(original)).toBe(true);
    sent += packed.length;
    whole += original.length;
  }
  expect(sent).toBeLessThan(whole / 3);
});
