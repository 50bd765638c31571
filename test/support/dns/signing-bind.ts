// BIND as the old server of a signed zone: it signs with one key, as its policy `default` does.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, inject } from 'vitest';
import type { TsigKey } from '#dns/message/tsig.ts';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { startSecondary } from '../../../deploy/local/parts/secondary.ts';
import { formatKeyFile } from '../doors/dns-update/primary.ts';
import { temporaryFolder } from '../runner/temporary.ts';
import { findBindKey, type KeyFiles } from './key-files.ts';

const LIMIT_MS = 60_000;

/**
 * Starts it, and stops it after the tests of the file.
 * @param text the zone file
 * @param transfer the key that may transfer the zone
 */
export async function startSigningBind(
  zone: string,
  text: string,
  transfer?: TsigKey,
): Promise<KeyFiles & { at: ProbeEndpoint }> {
  const folder = join(await temporaryFolder('old'), 'data');
  await mkdir(folder);
  await chmod(folder, 0o777);
  await writeFile(join(folder, 'zone'), text, { mode: 0o666 });
  const { dns: port = 0 } = await allocatePorts([{ name: 'dns', dns: true }], { stateDir: folder });
  const config = `${transfer === undefined ? '' : formatKeyFile(transfer)}
options {
  directory "${folder}"; key-directory "${folder}"; pid-file "${folder}/named.pid";
  session-keyfile "${folder}/session.key"; lock-file none;
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
  recursion no; dnssec-validation no; notify no;
  allow-transfer { ${transfer === undefined ? 'none' : `key "${transfer.name}"`}; };
};
controls { };
zone "${zone}" { type primary; file "${folder}/zone"; dnssec-policy default; inline-signing yes; };
`;
  const at = { address: '127.0.0.1', port };
  const { signal } = new AbortController();
  const part = await startSecondary({ server: inject('secondaries').bind, config, folder, ...at, signal });
  afterAll(() => part.stop());
  for (const end = Date.now() + LIMIT_MS; ; await sleep(100)) {
    const key = await findBindKey(folder, zone);
    if (key !== null) return { at, ...key };
    if (Date.now() > end) throw new Error('BIND made no key');
  }
}
