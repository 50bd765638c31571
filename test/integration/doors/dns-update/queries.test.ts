// Queries and transfers at the port of updates, with dig and kdig as the clients. dig verifies the signature of every
// message.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { META } from '#dns/message/message.ts';
import { signRequest } from '#dns/message/tsig.ts';
import { TSIG_KEY_ALGORITHMS } from '#dns/tsig/key.ts';
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import {
  exchange,
  readReply,
  signed,
  type UpdateKey,
  update,
  updateKey,
} from '../../../support/doors/dns-update/client.ts';
import { change, queryMessage } from '../../../support/doors/dns-update/message.ts';
import { startTestService } from '../../../support/service/service.ts';

const run = promisify(execFile);
const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' } });
const port = service.updatePort();
const key = await updateKey(service);

const keyText = ({ algorithm, name, secret }: UpdateKey) =>
  `${algorithm}:${name}:${Buffer.from(secret).toString('base64')}`;

/** The output of dig: records, and lines of comments. */
async function dig(by: UpdateKey | null, ...words: string[]): Promise<string> {
  const proof = by === null ? [] : ['-y', keyText(by)];
  const args = ['@127.0.0.1', '-p', String(port), ...proof, ...words, '+tries=3', '+time=15', '+nocookie'];
  try {
    return (await run('dig', args, { timeout: 100_000 })).stdout;
  } catch (error) {
    // A transfer that fails ends dig with an error; its text says why.
    return (error as { stdout: string }).stdout;
  }
}
const lines = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^[^;\s]/.test(line) && !/\sTSIG\s/.test(line))
    .map((line) => line.replaceAll(/\s+/g, ' '));

/** The records of a transfer without the SOA records at both ends. */
async function transferred(by: UpdateKey, zone: string, type = 'AXFR'): Promise<string[]> {
  const all = lines(await dig(by, zone, type));
  expect(all.length).toBeGreaterThan(1);
  expect(all.at(-1)).toBe(all[0]);
  expect(all[0]).toMatch(new RegExp(`^${zone}\\. 300 IN SOA ns1\\.zonestead\\.test\\. `));
  return all.slice(1, -1);
}

const apex = (zone: string) => ['ns1', 'ns2'].map((host) => `${zone}. 3600 IN NS ${host}.zonestead.test.`);

describe('a transfer', () => {
  test('a transfer has every update that was answered before it, and no DNSSEC records', async () => {
    const { zoneName: zone } = await service.zone();
    for (let n = 1; n <= 5; n += 1) {
      await update(port, key, { zone, changes: [change.add(`www.${zone}`, 300, 'A', `192.0.2.${n}`)] });
      expect(await transferred(key, zone)).toEqual([
        ...apex(zone),
        ...Array.from({ length: n }, (_, at) => `www.${zone}. 300 IN A 192.0.2.${at + 1}`),
      ]);
    }
  });

  test.for(TSIG_KEY_ALGORITHMS)('a transfer has a signature by %s in each of its messages', async (algorithm) => {
    const by = await updateKey(service, { algorithm });
    const zone = await service.zone();
    const text = (n: number) => `"${String(n).padEnd(250, 'x')}"`;
    const changes = Array.from({ length: 300 }, (_, n) => ({
      action: 'create',
      record: { name: `r${n}`, type: 'TXT', content: text(n) },
    }));
    expect((await service.request('POST', `/zones/${zone.id}/records:batch`, { changes })).status).toBe(200);
    const printed = await dig(by, zone.zoneName, 'AXFR', '+stats');
    expect(printed).toMatch(/XFR size: 304 records \(messages [5-9],/);
    expect(lines(printed).filter((line) => / TXT /.test(line))).toHaveLength(300);
    expect(printed).not.toMatch(/verify|failed/i);
  });

  test('a transfer as the answer to IXFR is the whole zone, or the SOA record of a client that has this serial', async () => {
    const zone = await service.zone();
    await service.record(zone, 'www', 'A', '192.0.2.1');
    const { zoneName: name } = zone;
    expect(await transferred(key, name, 'IXFR=1')).toEqual([...apex(name), `www.${name}. 3600 IN A 192.0.2.1`]);
    const [soa = ''] = lines(await dig(key, name, 'AXFR'));
    const serial = soa.split(' ')[6];
    expect(lines(await dig(key, name, `IXFR=${serial}`))).toEqual([soa]);
  });

  test('a transfer has ALIAS targets and nothing of an ALIAS without addresses', async () => {
    const zone = await service.zone();
    await service.record(zone, 'later', 'ALIAS', 'unknown.example.net');
    expect(await transferred(key, zone.zoneName)).toEqual(apex(zone.zoneName));
  });

  test('a transfer needs a signature', async () => {
    const { zoneName } = await service.zone();
    const printed = await dig(null, zoneName, 'AXFR', '+comments');
    expect(printed).toContain('Transfer failed');
    expect(lines(printed)).toEqual([]);
  });

  test.each([
    ['from another team', { team: 'other' }, 'NOTAUTH'],
    ['that may not read records', { records: 'none' as const }, 'REFUSED'],
    ['that may write some names only', { onlyNames: ['_acme-challenge'], onlyTypes: ['TXT'] }, 'REFUSED'],
    ['from another network', { networks: ['192.0.2.0/24'] }, 'NOTAUTH'],
  ])('a transfer with a key %s is refused', async (_, options, rcode) => {
    const { zoneName } = await service.zone();
    const by = await updateKey(service, options);
    const printed = await dig(by, zoneName, 'AXFR', '+comments');
    expect(lines(printed)).toEqual([]);
    expect(printed).toContain('; Transfer failed');
    expect(await rcodeOf(by, zoneName)).toBe(rcode);
  });

  test('a transfer is refused with a wrong secret, and with a revoked key at once', async () => {
    const { zoneName } = await service.zone();
    const by = await updateKey(service);
    expect(await transferred(by, zoneName)).toEqual(apex(zoneName));
    expect(await rcodeOf({ ...by, secret: Buffer.from('another secret of some octets') }, zoneName)).toBe('NOTAUTH');
    await service.sql`update api_keys set revoked_at = now() where id = ${by.id}`;
    expect(await rcodeOf(by, zoneName)).toBe('NOTAUTH');
  });

  /** The response code to AXFR over TCP. */
  async function rcodeOf(by: UpdateKey, zone: string): Promise<string> {
    const request = signed(queryMessage(zone, META.AXFR), by);
    return readReply(await exchange(port, request, { tcp: true }), request, by).rcode;
  }
});

test('a query gets the answer of the name server, signed if it was', async () => {
  const zone = await service.zone();
  await service.record(zone, 'www', 'A', '192.0.2.1');
  const { zoneName: name } = zone;
  await service.settled();
  for (const by of [null, key]) {
    for (const protocol of ['+tcp', '+notcp']) {
      const printed = await dig(by, name, 'SOA', protocol, '+norecurse');
      expect(printed).toMatch(/status: NOERROR/);
      expect(printed).toMatch(/flags: qr aa[;\s]/);
      expect(lines(printed)[0]).toMatch(new RegExp(`^${name}\\. 300 IN SOA `));
    }
  }
  expect(lines(await dig(key, `www.${name}`, 'A', '+norecurse'))).toEqual([`www.${name}. 3600 IN A 192.0.2.1`]);
  expect(await dig(key, `nothing.${name}`, 'A', '+norecurse')).toMatch(/status: NXDOMAIN/);
});

test('a query is verified by kdig too', async () => {
  const zone = await service.zone();
  await service.record(zone, 'www', 'A', '192.0.2.1');
  const args = ['@127.0.0.1', '-p', String(port), '-y', keyText(key), `www.${zone.zoneName}`, 'A', '+short'];
  await service.settled();
  expect((await run('kdig', args, { timeout: 100_000 })).stdout).toMatch(/^192\.0\.2\.1\n/);
  const all = await run('kdig', [...args.slice(0, 5), zone.zoneName, 'AXFR'], { timeout: 100_000 });
  expect(all.stdout).toContain(`www.${zone.zoneName}.`);
  expect(all.stderr).toBe('');
});

test('a query that is unsigned comes again over TCP unless it is for the SOA record, so that the port does not amplify', async () => {
  const zone = await service.zone();
  await service.record(zone, '@', 'TXT', 'x'.repeat(400));
  await service.settled();
  const printed = await dig(null, zone.zoneName, 'TXT', '+notcp', '+ignore', '+norecurse');
  expect(printed).toMatch(/flags: qr[^;]* tc[;\s]/);
  expect(lines(printed)).toEqual([]);
  // Without +ignore, dig comes again over TCP itself.
  expect(lines(await dig(null, zone.zoneName, 'TXT', '+notcp', '+norecurse'))).toHaveLength(1);
});

test('a query with a long answer comes again over TCP', async () => {
  const zone = await service.zone();
  for (let n = 0; n < 4; n += 1) await service.record(zone, 'big', 'TXT', String(n).repeat(400));
  await service.settled();
  const name = `big.${zone.zoneName}`;
  expect(await dig(key, name, 'TXT', '+notcp', '+ignore', '+norecurse')).toMatch(/flags: qr aa tc[;\s]/);
  expect(lines(await dig(key, name, 'TXT', '+notcp', '+norecurse'))).toHaveLength(4);
});

test('a query with a wrong signature gets none', async () => {
  const { zoneName } = await service.zone();
  const wrong = { ...key, secret: Buffer.from('another secret of some octets') };
  const request = signed(queryMessage(zoneName, 6), wrong);
  expect(readReply(await exchange(port, request), request, wrong)).toMatchObject({
    rcode: 'NOTAUTH',
    error: 'BADSIG',
    isSigned: false,
  });
  const late = signRequest(queryMessage(zoneName, 6), key, Math.floor(Date.now() / 1000) - 4_000);
  expect(readReply(await exchange(port, late), late, key)).toMatchObject({ rcode: 'NOTAUTH', error: 'BADTIME' });
});

test('an unsigned query over UDP gets at most three times its octets, and the whole answer over TCP', async () => {
  const { zoneName: zone } = await service.zone();
  // An unsigned query over UDP does not wait for the name servers.
  await service.settled();
  const isTruncated = (octets: Uint8Array) => ((octets[2] ?? 0) & 2) !== 0;
  for (const name of [zone, `absent.${zone}`]) {
    const query = queryMessage(name, TYPE_NUMBERS.SOA);
    const [udp, tcp] = [await exchange(port, query), await exchange(port, query, { tcp: true })];
    expect(udp.length).toBeLessThanOrEqual(3 * query.length);
    expect([isTruncated(udp), isTruncated(tcp)]).toEqual([tcp.length > 3 * query.length, false]);
    const whole = await exchange(port, signed(query, key));
    expect(isTruncated(whole)).toBe(false);
  }
});
