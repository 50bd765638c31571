// The address of the documentation: refusals over HTTP and the console link to it.
import { expect, test } from 'vitest';
import { startConsoleService } from '../../support/console/console.ts';

const service = await startConsoleService(
  { nameserver: false },
  { ZONESTEAD_DOCS_URL: 'https://docs.example.net/0.1/' },
);

test('the address of the documentation is in the answer of a refusal, with the section of its rule', async () => {
  const { headers, status } = await fetch(new URL('/v1/dns/zones', service.url));
  expect([status, headers.get('link')]).toEqual([
    401,
    '<https://docs.example.net/0.1/reference/errors.html#requests>; rel="help"',
  ]);
});

test('the address of the documentation is in the answer of a path that no router knows', async () => {
  const { headers } = await fetch(new URL(`/v1/dns/zones/%E0%A4%A`, service.url));
  expect(headers.get('link')).toMatch(
    /^<https:\/\/docs\.example\.net\/0\.1\/reference\/errors\.html#\S+>; rel="help"$/,
  );
});

test('the address of the documentation is at the foot of the console', async () => {
  const page = await (await fetch(new URL('/console/sign-in', service.url))).text();
  expect(page).toContain('<a href="https://docs.example.net/0.1/">Documentation</a>');
});

test('without the address of the documentation, refusals and the console have no link', async () => {
  const { url } = await service.anotherConsole({ ZONESTEAD_CONSOLE: 'on' });
  expect((await fetch(new URL('/v1/dns/zones', url))).headers.get('link')).toBe(null);
  expect(await (await fetch(new URL('/console/sign-in', url))).text()).not.toContain('>Documentation<');
});
