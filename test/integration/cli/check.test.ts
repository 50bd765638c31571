// `zonestead check`, which `helm test` runs, against a service that works and against what does not.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runCheck } from '../../../src/cli/check/check.ts';
import { startTestService } from '../../support/service.ts';

const service = await startTestService();
const { signal } = new AbortController();
const port = /^local-port=(\d+)$/m.exec(await readFile(`${service.powerdnsFolder}/pdns.conf`, 'utf8'))?.[1];
const check = async (key: string | undefined, dns = `127.0.0.1:${port}`) => {
  const lines: string[] = [];
  const config = { ZONESTEAD_URL: service.url, ...(key === undefined ? {} : { ZONESTEAD_API_KEY: key }) };
  const well = await runCheck(config, dns, (line) => lines.push(line), signal);
  return { well, failed: lines.filter((line) => line.startsWith('FAILED')).map((line) => line.slice(8)), lines };
};

test('an installation that works passes, and says so in a line a check', async () => {
  const { well, lines } = await check(service.admin.text);
  expect(lines).toHaveLength(4);
  expect(lines.filter((line) => !line.startsWith('ok'))).toEqual([]);
  expect(well).toBe(true);
  expect((await check(undefined)).lines).toHaveLength(3);
});

test('what does not work is named: a key that is not valid, name servers that do not answer', async () => {
  const wrong = await check(`yk_abc_${'0'.repeat(64)}`);
  expect(wrong).toMatchObject({
    well: false,
    failed: [expect.stringMatching(/^operator's API key: Invalid or missing/)],
  });
  // Port 9 is nobody's (discard, RFC 863).
  const silent = await check(undefined, '127.0.0.1:9');
  expect(silent.failed).toEqual([
    expect.stringContaining('name servers over UDP: does not answer over UDP'),
    expect.stringContaining('name servers over TCP: does not answer over TCP'),
  ]);
});
