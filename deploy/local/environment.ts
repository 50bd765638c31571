// `.local/env`: how other programs find the running stack. Its names are a contract (docs/how-to/run-locally.md).
import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatHostPort } from '#base/address.ts';
import type { Issuance } from './issuance.ts';
import type { Service } from './service.ts';

export interface Surroundings {
  service: Service;
  /** The path of a kubeconfig, whether or not its server answers yet: kubectl must not take another cluster's. */
  kubeconfig: string;
  issuance?: Issuance | undefined;
}

/** The variables by name. */
export function buildEnvironment({ service, kubeconfig, issuance }: Surroundings): Record<string, string> {
  return {
    ZONESTEAD_URL: service.url,
    ZONESTEAD_API_KEY: service.keys.first.key,
    ZONESTEAD_TEAM: service.keys.first.team,
    ZONESTEAD_API_KEY_2: service.keys.second.key,
    ZONESTEAD_TEAM_2: service.keys.second.team,
    ZONESTEAD_PERSON_KEY: service.personKey,
    ZONESTEAD_DNS: formatHostPort(service.dns.address, service.dns.port),
    // For the option -p of dig and delv.
    ZONESTEAD_DNS_PORT: String(service.dns.port),
    ...(service.updates === null ? {} : { ZONESTEAD_UPDATES: service.updates }),
    // Their names resolve nowhere: `zonestead acme` and `doctor` find the name servers here.
    ZONESTEAD_NAMESERVER_ADDRESSES: service.nameserverAddresses,
    DATABASE_URL: service.databaseUrl,
    KUBECONFIG: kubeconfig,
    ...(issuance === undefined
      ? {}
      : { ZONESTEAD_ACME_DIRECTORY: issuance.pebble.url, ZONESTEAD_ACME_CA: issuance.pebble.authorityFile }),
  };
}

/** One word of a shell. Pure. */
export const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Shell syntax; `bin` comes first in PATH. Pure. */
export function shellText(variables: Readonly<Record<string, string>>, bin: string): string {
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`);
  return `${[...lines, `export PATH=${quoted(bin)}:"$PATH"`].join('\n')}\n`;
}

/**
 * Writes the file with mode 600, because it holds keys. A reader finds the whole file of before or the whole new one.
 */
export async function writeEnvironment(stateDir: string, surroundings: Surroundings): Promise<void> {
  const file = join(stateDir, 'env');
  const next = `${file}.new`;
  await writeFile(next, shellText(buildEnvironment(surroundings), join(stateDir, 'bin')), { mode: 0o600 });
  await chmod(next, 0o600);
  await rename(next, file);
}
