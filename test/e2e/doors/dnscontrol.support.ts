// dnscontrol makes a zone like its configuration.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runClient } from '../../support/doors/run.ts';
import { NAMESERVERS } from '../../support/service/service.ts';

export interface DnsControl {
  /**
   * Makes the zone like this. @param wanted modifiers of the zone, such as `A('www', '192.0.2.1')` @returns its last
   * lines
   */
  push(wanted: readonly string[]): Promise<string>;
  /** @throws Error with the differences if the zone is not like this */
  expectSame(wanted: readonly string[]): Promise<void>;
}

/**
 * @param command the path of the program. @param credentials those of the provider. @param zone without the final dot
 */
export function dnsControl(
  command: string,
  folder: string,
  zone: string,
  credentials: Readonly<Record<string, string>>,
): DnsControl {
  const run = async (wanted: readonly string[], ...args: string[]) => {
    const meta = JSON.stringify({ default_ns: NAMESERVERS.map((host) => `${host}.`) });
    const config = [
      "var NONE = NewRegistrar('none');",
      `var SERVER = NewDnsProvider('server', ${meta});`,
      `D('${zone}', NONE, DnsProvider(SERVER), DefaultTTL(300), NAMESERVER_TTL(3600), ${wanted.join(', ')});`,
    ];
    await writeFile(join(folder, 'dnsconfig.js'), config.join('\n'));
    const creds = { server: credentials, none: { TYPE: 'NONE' } };
    await writeFile(join(folder, 'creds.json'), JSON.stringify(creds), { mode: 0o600 });
    return runClient([command], [...args, '--domains', zone], { cwd: folder });
  };
  return {
    push: (wanted) => run(wanted, 'push'),
    expectSame: async (wanted) => void (await run(wanted, 'preview', '--expect-no-changes')),
  };
}
