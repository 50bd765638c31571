// The limit of returns from the OpenID provider for one client address: each return is a request to the provider.
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { startConsoleWithProvider, visit } from '../../support/console/console.ts';

const { service } = await startConsoleWithProvider('dev=web');

/** Comes back from the provider with a copy of the cookie, from an address of this machine. @returns the status */
function comeBack(cookie: string, localAddress: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const url = `${service.url}/console/sign-in/provider/back?state=x&code=y`;
    request(url, { localAddress, headers: { cookie } }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    })
      .once('error', reject)
      .end();
  });
}

test('an address comes back from the provider 60 times in a minute, and another address is not affected', async () => {
  const browser = visit(service);
  await browser.get('/console/sign-in/provider');
  const { cookie } = browser;
  const statuses: number[] = [];
  for (let times = 0; times < 62; times++) statuses.push(await comeBack(cookie, '127.0.0.1'));
  expect(statuses.slice(0, 60)).not.toContain(429);
  expect(statuses.slice(60)).toEqual([429, 429]);
  expect(await comeBack(cookie, '127.0.0.2')).not.toBe(429);
});
