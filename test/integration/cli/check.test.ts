// `zonestead check`, which `helm test` runs, with a service that works and with parts that fail.
import { expect, test } from 'vitest';
import { findingLines } from '#cli/findings.ts';
import { hasFailure } from '#diagnosis/rank.ts';
import { diagnoseService } from '#diagnosis/service.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService();
const { signal } = new AbortController();
const check = async (key: string | undefined, dns = `127.0.0.1:${service.dns.port}`) => {
  const config = { ZONESTEAD_URL: service.url, ...(key === undefined ? {} : { ZONESTEAD_API_KEY: key }) };
  const findings = await diagnoseService(config, dns, signal);
  const lines = findings.flatMap(findingLines);
  return {
    well: !hasFailure(findings),
    failed: lines.filter((line) => line.startsWith('FAIL')).map((line) => line.slice(6)),
    lines,
  };
};

test('an installation that works passes with one line for each check', async () => {
  const { well, lines } = await check(service.admin.text);
  expect(lines).toHaveLength(4);
  expect(lines.filter((line) => !line.startsWith('ok'))).toEqual([]);
  expect(well).toBe(true);
  expect((await check(undefined)).lines).toHaveLength(3);
});

test('the output names the failed parts: an API key that is not valid, name servers that do not answer', async () => {
  const wrong = await check(`yk_abc_${'0'.repeat(64)}`);
  expect(wrong).toMatchObject({
    well: false,
    failed: [expect.stringMatching(/^operator's API key or token: Invalid or missing/)],
  });
  // No program listens on port 9 (discard, RFC 863).
  const silent = await check(undefined, '127.0.0.1:9');
  expect(silent.failed).toEqual([
    expect.stringContaining('name servers over UDP: does not answer over UDP'),
    expect.stringContaining('name servers over TCP: does not answer over TCP'),
  ]);
});
