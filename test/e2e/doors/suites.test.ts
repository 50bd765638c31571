// The test suites of two Go clients of the PowerDNS API, against a real PowerDNS and against the service with the name
// servers that each suite names. Many tools are made of these clients: dnscontrol, for example.
import { expect, test } from 'vitest';
import { startPowerDns } from '../../support/doors/powerdns/server.ts';
import { OMITTED, runSuite } from '../../support/doors/suites.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';
import { ensureSuites, SUITE_MODULES } from '../../support/tools/suites.ts';

const programs = await ensureSuites((line) => process.stdout.write(`${line}\n`), new AbortController().signal);
const service = await startTestService({ nameserver: false });

const suites = [
  { suite: 'mittwald', nameservers: ['ns1.example.com', 'ns2.example.com'], count: 14 },
  { suite: 'joeig', nameservers: ['ns.foo.tld'], count: 50 },
] as const;
const cases = await Promise.all(
  suites.map(async ({ suite, nameservers, count }) => {
    const settings = {
      ZONESTEAD_NAMESERVERS: nameservers.join(','),
      ZONESTEAD_NAMESERVER_ADDRESSES: nameservers.map((name) => `${name}=127.0.0.1:1`).join(','),
    };
    const { url } = await service.anotherApi({ settings });
    // One suite expects a server without zones.
    const { text: key } = await service.key({ team: suite });
    const { url: realUrl, key: realKey } = await startPowerDns();
    const folders = [await temporaryFolder('suite'), await temporaryFolder('suite')] as const;
    const servers = [
      { url, key, folder: folders[0] },
      { url: realUrl, key: realKey, folder: folders[1] },
    ] as const;
    return { suite, servers, count, module: SUITE_MODULES[suite] };
  }),
);

test.concurrent.for(cases)(
  'the tests of $module.module pass at the service, and at PowerDNS',
  async ({ suite, servers, count, module }) => {
    const [ours, theirs] = await Promise.all(
      servers.map((server) => runSuite(programs, module, OMITTED[suite], server)),
    );
    expect([ours?.failed, theirs?.failed], `${ours?.tail}\n\n${theirs?.tail}`).toEqual([[], []]);
    expect(ours?.passed).toEqual(theirs?.passed);
    expect(ours?.passed.length).toBeGreaterThanOrEqual(count);
  },
);
