// EDNS ZONEVERSION (RFC 9660): a client that asks for it sees the serial from which an answer was made. Always Knot
// 3.4.
import { expect, test } from 'vitest';
import { keyStore } from '#nameserver/knot/keys.ts';
import { zoneEngine } from '#nameserver/knot/zones.ts';
import { ensureKnot } from '../../../../deploy/local/parts/knot.ts';
import { createResolver } from '../../../support/dns/resolver.ts';
import { servedSet } from '../../../support/dns/served-sets.ts';
import { testKnot } from '../../../support/knot/knot.ts';
import { NS, newKey, SOA } from '../../../support/knot/knot-zones.ts';
import { onlyKey } from '../../../support/knot/only-key.ts';

const { signal } = new AbortController();
const OPTION = '19';

test('the serial of the zone is in each answer of Knot DNS 3.4 to a client that asks for it', async () => {
  const programs = await ensureKnot({ version: '3.4', progress: () => undefined, signal });
  const knot = await testKnot(undefined, {}, { programs });
  const { control, folder } = knot;
  const engine = zoneEngine({ control, folder, keys: keyStore({ keymgr: programs.keymgr, folder }) });
  const name = 'version.example';
  await engine.add([{ name, keys: onlyKey(newKey()) }], signal);
  const dns = createResolver(knot, folder.root);
  for (const serial of [0x01020304, 0x01020306]) {
    const sets = [NS, servedSet('www', 'A', ['192.0.2.1']), servedSet('n', 'TXT', [String(serial)])];
    await engine.change(name, { names: ['@', 'www', 'n'], sets, serial, soa: SOA }, signal);
    const output = await dns.dig(`+ednsopt=${OPTION}`, `www.${name}`, 'A');
    // The labels of the zone's name, the type 0 (serial of the SOA), and the serial.
    const version = `02 00 ${Buffer.from([1, 2, 3, serial & 0xff])
      .toString('hex')
      .replace(/..(?!$)/g, '$& ')}`;
    expect(output).toMatch(new RegExp(`OPT=${OPTION}: ${version}`));
  }
  expect(await dns.dig(`www.${name}`, 'A')).not.toContain(`OPT=${OPTION}`);
});
