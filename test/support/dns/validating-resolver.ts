// A resolver with a cache that validates, as clients of a zone have it: unbound. It asks the name server of a test for
// the zone, and trusts the key of the zone.
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import dnsPacket, { type Packet } from 'dns-packet';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import type { Part } from '../../../deploy/local/parts/part.ts';
import { startSecondary } from '../../../deploy/local/parts/secondary.ts';

export interface ValidatingResolver extends ProbeEndpoint {
  part: Part;
  /**
   * The answer to a client. `secure`: it was validated; `insecure`: it was not, because the zone is not signed there;
   * `bogus`: SERVFAIL, also for other reasons.
   */
  resolve(name: string, type: string): Promise<ResolvedAnswer>;
  close(): void;
}

export interface ResolvedAnswer {
  state: 'secure' | 'insecure' | 'bogus';
  rcode: string;
  answers: number;
  /** Those of A records. */
  addresses: string[];
}

interface ResolverOptions {
  /** The path of unbound. */
  command: string;
  folder: string;
  port: number;
  zone: string;
  /** The name server of the zone. */
  server: ProbeEndpoint;
  /** More name servers of the zone. Any of them is asked. */
  others?: readonly ProbeEndpoint[];
  /** The DNSKEY of the zone as a line, or its DS. */
  anchor: string;
  /** The longest time that the cache keeps answers, in seconds. (Default: their TTLs.) */
  maxTtl?: number;
  signal: AbortSignal;
}

const ADDRESS = '127.0.0.1';
const LIMIT_MS = 20_000;
const REPEAT_MS = 3_000;
/** Flags of a message: RD and AD. */
const RECURSION_DESIRED = 0x0100;
const AUTHENTIC_DATA = 0x0020;

export async function startValidatingResolver(options: ResolverOptions): Promise<ValidatingResolver> {
  const { command, port, signal } = options;
  const folder = join(options.folder, 'unbound');
  await mkdir(folder, { recursive: true });
  const config = configuration({ ...options, folder });
  const server = { name: 'unbound', command, args: ['-d', '-d', '-p', '-c'] };
  const part = await startSecondary({ server, config, folder, address: ADDRESS, port, signal });
  const socket = createSocket('udp4');
  socket.connect(port, ADDRESS);
  await once(socket, 'connect');
  const waiting = new Map<number, (answer: ResolvedAnswer) => void>();
  socket.on('message', (message) => {
    const packet = dnsPacket.decode(message);
    waiting.get(packet.id ?? -1)?.(judge(packet));
  });
  const resolve: ValidatingResolver['resolve'] = async (name, type) => {
    let id = randomInt(0x1_0000);
    while (waiting.has(id)) id = randomInt(0x1_0000);
    const flags = RECURSION_DESIRED | AUTHENTIC_DATA;
    const query = dnsPacket.encode({ id, type: 'query', flags, questions: [{ name, type }] });
    let late: NodeJS.Timeout | undefined;
    // A client asks again after a datagram that was lost.
    const repeated = setInterval(() => socket.send(query), REPEAT_MS);
    try {
      return await new Promise<ResolvedAnswer>((done, fail) => {
        late = setTimeout(() => fail(new Error(`unbound did not answer ${name} ${type}`)), LIMIT_MS);
        waiting.set(id, done);
        socket.send(query);
      });
    } finally {
      clearTimeout(late);
      clearInterval(repeated);
      waiting.delete(id);
    }
  };
  return { address: ADDRESS, port, part, resolve, close: () => socket.close() };
}

function judge({ rcode = '', answers = [], flags = 0 }: Packet): ResolvedAnswer {
  const isSecure = (flags & AUTHENTIC_DATA) !== 0;
  const state = rcode === 'SERVFAIL' ? 'bogus' : isSecure ? 'secure' : 'insecure';
  const addresses = answers.flatMap(({ type, data }) => (type === 'A' ? [String(data)] : []));
  return { state, rcode, answers: answers.length, addresses };
}

/** Without the root: nothing outside of the zone is asked. */
function configuration({ folder, port, zone, server, others = [], anchor, maxTtl = 86_400 }: ResolverOptions): string {
  const addresses = [server, ...others].map((each) => `  stub-addr: ${each.address}@${each.port}\n`);
  return `server:
  cache-max-ttl: ${maxTtl}
  cache-max-negative-ttl: ${maxTtl}
  interface: ${ADDRESS}@${port}
  do-ip6: no
  access-control: 127.0.0.0/8 allow
  do-not-query-localhost: no
  directory: "${folder}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  logfile: ""
  val-log-level: 2
  module-config: "validator iterator"
  trust-anchor: "${anchor}"
  aggressive-nsec: yes
  prefetch: no
  minimal-responses: no
  num-threads: 1
  outgoing-range: 200
  num-queries-per-thread: 1024
stub-zone:
  name: "${zone}."
${addresses.join('')}  stub-no-cache: no
`;
}
