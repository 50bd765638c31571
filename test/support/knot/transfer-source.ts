// BIND, Knot and NSD as the servers that people move away from: a primary of one zone that gives transfers to one TSIG
// key.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import type { TsigKey } from '#dns/message/tsig.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { startSecondary } from '../../../deploy/local/parts/secondary.ts';
import { formatKeyFile } from '../doors/dns-update/primary.ts';
import { temporaryFolder } from '../runner/temporary.ts';
import type { Kind } from './secondaries.ts';

const ADDRESS = '127.0.0.1';

interface Place {
  folder: string;
  port: number;
  zone: string;
  key: TsigKey;
}

const secretOf = ({ secret }: TsigKey) => Buffer.from(secret).toString('base64');

const CONFIGS: Readonly<Record<Kind, (place: Place) => string>> = {
  bind: ({ folder, port, zone, key }) => `${formatKeyFile(key)}
options {
  directory "${folder}"; pid-file "${folder}/named.pid"; session-keyfile "${folder}/session.key"; lock-file none;
  listen-on port ${port} { ${ADDRESS}; }; listen-on-v6 { none; };
  recursion no; dnssec-validation no; notify no; allow-transfer { key "${key.name}"; };
};
controls { };
zone "${zone}" { type primary; file "${folder}/source.zone"; check-names ignore; };
`,
  knot: ({ folder, port, zone, key }) => `server:
  listen: ${ADDRESS}@${port}
  rundir: ${folder}
database:
  storage: ${folder}
control:
  listen: ${folder}/knot.sock
key:
  - id: ${key.name}
    algorithm: ${key.algorithm}
    secret: ${secretOf(key)}
acl:
  - id: transfer
    key: ${key.name}
    action: transfer
zone:
  - domain: ${zone}
    file: ${folder}/source.zone
    acl: transfer
`,
  nsd: ({ folder, port, zone, key }) => `server:
  ip-address: ${ADDRESS}@${port}
  zonesdir: "${folder}"
  zonelistfile: "${folder}/zone.list"
  xfrdfile: "${folder}/xfrd.state"
  xfrdir: "${folder}"
  pidfile: "${folder}/nsd.pid"
  database: ""
remote-control:
  control-enable: no
key:
  name: ${key.name}
  algorithm: ${key.algorithm}
  secret: "${secretOf(key)}"
zone:
  name: ${zone}
  zonefile: "${folder}/source.zone"
  provide-xfr: ${ADDRESS} ${key.name}
`,
};

/** Starts the server with this zone file, and stops it after the tests of the file. @returns its port */
export async function startTransferSource(kind: Kind, zone: string, key: TsigKey, text: string): Promise<number> {
  const folder = join(await temporaryFolder(kind), 'data');
  await mkdir(folder);
  await chmod(folder, 0o755);
  await writeFile(join(folder, 'source.zone'), text);
  const { dns: port = 0 } = await allocatePorts([{ name: 'dns', dns: true }], { stateDir: folder });
  const server =
    kind === 'knot' ? { name: 'knot', command: inject('knot').knotd, args: ['-c'] } : inject('secondaries')[kind];
  const config = CONFIGS[kind]({ folder, port, zone, key });
  const { signal } = new AbortController();
  const part = await startSecondary({ server, config, folder, address: ADDRESS, port, signal });
  afterAll(() => part.stop());
  return port;
}
