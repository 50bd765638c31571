// BIND as a primary that takes updates: the model for answers and for the zone afterwards.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import type { TsigKey } from '#dns/message/tsig.ts';
import { tsigKeyFile } from '#dns/tsig/key.ts';
import { octetsOfRdata } from '#dns/wire/canonical-rdata.ts';
import { runCommand } from '../../../../deploy/local/parts/commands.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { startSecondary } from '../../../../deploy/local/parts/secondary.ts';
import { transfer } from '../../knot/secondaries.ts';
import { temporaryFolder } from '../../runner/temporary.ts';

const { signal } = new AbortController();
const ADDRESS = '127.0.0.1';

export function formatKeyFile({ name, algorithm, secret }: TsigKey): string {
  return tsigKeyFile({ name, algorithm, secret: Buffer.from(secret).toString('base64') });
}

/** A named with these empty zones, for a key that may do everything. It stops after the file's tests. */
export async function startPrimary(zones: readonly string[], key: TsigKey, nameservers: readonly string[]) {
  const folder = join(await temporaryFolder('primary'), 'data');
  await mkdir(folder);
  await chmod(folder, 0o755);
  const { dns: port = 0 } = await allocatePorts([{ name: 'dns', dns: true }], { stateDir: folder });
  for (const zone of zones) {
    const lines = [
      '$TTL 3600',
      `@ SOA ${nameservers[0]}. hostmaster.zonestead.test. 1 10800 3600 604800 60`,
      ...nameservers.map((host) => `@ NS ${host}.`),
    ];
    await writeFile(join(folder, `${zone}.zone`), `${lines.join('\n')}\n`);
  }
  const config = `${formatKeyFile(key)}
options {
  directory "${folder}";
  pid-file "${folder}/named.pid";
  session-keyfile "${folder}/session.key";
  lock-file none;
  listen-on port ${port} { ${ADDRESS}; };
  listen-on-v6 { none; };
  recursion no;
  dnssec-validation no;
  notify no;
  allow-transfer { ${ADDRESS}; };
};
controls { };
${zones
  .map(
    (zone) =>
      `zone "${zone}" { type primary; file "${folder}/${zone}.zone"; check-names ignore; allow-update { key "${key.name}"; }; };`,
  )
  .join('\n')}
`;
  const server = inject('secondaries').bind;
  const part = await startSecondary({ server, config, folder, address: ADDRESS, port, signal });
  afterAll(() => part.stop());
  return {
    port,
    /** All records but the SOA and the NS records of the apex, as recordText writes them, sorted. */
    records: async (zone: string) => {
      const lines = (await transfer(port, zone)).split('\n').filter((line) => line !== '' && !line.startsWith(';'));
      const fields = lines.map((line) => line.split(/\s+/));
      return fields
        .filter(([name, , , type = '']) => !(type === 'SOA' || (type === 'NS' && name === `${zone}.`)))
        .map(([name = '', ttl = '', , type = '', ...data]) => recordText(name, Number(ttl), type, data.join(' ')))
        .sort();
    },
  };
}

/** `www.example.com. 300 A` and the octets of the value. @param name absolute, with the final dot */
export function recordText(name: string, ttl: number, type: string, text: string): string {
  return `${name.toLowerCase()} ${ttl} ${type} ${Buffer.from(octetsOfRdata(type, text)).toString('hex')}`;
}

/**
 * Runs a script of nsupdate or knsupdate, and returns the response codes of the server, one for each `send`. knsupdate
 * prints only the first one that is not NOERROR, and stops there.
 * @throws Error if the tool does not accept the signature of an answer
 */
export async function runScript(
  program: 'nsupdate' | 'knsupdate',
  { port, key, zone }: { port: number; key: TsigKey; zone: string },
  commands: readonly string[],
): Promise<string[]> {
  const folder = await temporaryFolder('script');
  const keyFile = join(folder, 'key');
  await writeFile(keyFile, formatKeyFile(key), { mode: 0o600 });
  const script = join(folder, 'script');
  await writeFile(script, [`server ${ADDRESS} ${port}`, `zone ${zone}`, ...commands, ''].join('\n'));
  const command = inject('tools')[program];
  const statuses: string[] = [];
  let status = '';
  let failure: string | null = null;
  const onLine = (line: string) => {
    status = /->>HEADER<<- opcode: UPDATE[;,] status: (\w+)/.exec(line)?.[1] ?? status;
    // The flag of an answer: the header of the request is printed as well.
    if (/^;; flags:.* qr\b/i.test(line)) statuses.push(status);
    if (/tsig error|tsig verify|BADSIG|BADKEY/i.test(line) && !/\sTSIG\s/.test(line)) failure = line;
  };
  const secret = Buffer.from(key.secret).toString('base64');
  const by = program === 'nsupdate' ? ['-k', keyFile] : ['-y', `${key.algorithm}:${key.name}:${secret}`];
  await runCommand({ command, args: ['-d', ...by, script], timeoutMs: 120_000, signal, onLine });
  if (failure !== null) throw new Error(failure);
  return statuses;
}
