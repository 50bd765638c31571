// Signing in and out of the console, and what its cookie and headers hold against.
import { describe, expect, test } from 'vitest';
import { startConsoleService, visit } from '../../support/console.ts';
import { addPerson } from '../../support/people.ts';

const service = await startConsoleService();
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });

describe('signing in', () => {
  test('with a key leads to the page that was asked for, and out again', async () => {
    const browser = visit(service);
    const asked = await browser.get('/console/teams');
    expect([asked.status, asked.location]).toEqual([303, '/console/sign-in?to=%2Fconsole%2Fteams']);
    await browser.get(asked.location!);
    const into = await browser.post('/console/sign-in', { key: ada.text, to: '/console/teams' });
    expect([into.status, into.location]).toEqual([303, '/console/teams']);
    const page = await browser.get('/console/teams');
    expect(page.status).toBe(200);
    expect(page.text).toContain('ada@example.org');
    const out = await browser.post('/console/sign-out');
    expect([out.status, out.location]).toEqual([303, '/console/sign-in']);
    expect((await browser.get('/console/teams')).status).toBe(303);
  });
});
