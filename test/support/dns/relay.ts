// A relay in front of a real name server, over UDP and TCP, that fails as name servers and networks do.
import { createSocket } from 'node:dgram';
import { type AddressInfo, connect, createServer, isIPv6, type Socket } from 'node:net';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';

/**
 * `frozen`: always the last answer before. `tampered`: the last octet of each TXT value that begins with
 * the marker is another one. `silent`: none.
 */
export type RelayMode = 'pass' | 'silent' | 'frozen' | 'tampered';

export interface DnsRelay extends ProbeEndpoint {
  udp: RelayMode;
  tcp: RelayMode;
  /** Questions so far. */
  asked: number;
  close(): Promise<void>;
}

/**
 * @param marker the beginning of the values that `tampered` changes
 * @param address its own
 */
export async function startRelay(
  upstream: ProbeEndpoint,
  marker: string,
  address: '127.0.0.1' | '::1' = '127.0.0.1',
): Promise<DnsRelay> {
  const frozenAnswers = new Map<string, Buffer>();
  const sockets = new Set<Socket>();
  // The answer over TCP serves both transports, because no answer of the tests is too long.
  const answer = async (query: Buffer, transport: 'udp' | 'tcp'): Promise<Buffer | null> => {
    const mode = relay[transport];
    relay.asked += 1;
    if (mode === 'silent') return null;
    const key = transport + query.subarray(2).toString('latin1').toLowerCase();
    const message = (mode === 'frozen' ? frozenAnswers.get(key) : undefined) ?? (await askUpstream(upstream, query));
    if (!frozenAnswers.has(key) || mode !== 'frozen') frozenAnswers.set(key, message);
    const own = Buffer.from(message);
    query.copy(own, 0, 0, 2);
    return mode === 'tampered' ? tamper(own, marker) : own;
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', async (chunk) => {
      received = Buffer.concat([received, chunk as Buffer]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const reply = await answer(received.subarray(2), 'tcp').catch(() => null);
      if (reply !== null) socket.end(withLength(reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  const datagrams = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  datagrams.on('message', async (query, from) => {
    const reply = await answer(query, 'udp').catch(() => null);
    if (reply !== null) datagrams.send(reply, from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => {
    datagrams.once('error', reject);
    datagrams.bind(port, address, resolve);
  });
  const relay: DnsRelay = {
    ...{ address, port, udp: 'pass', tcp: 'pass', asked: 0 },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await new Promise<void>((resolve) => datagrams.close(() => resolve()));
    },
  };
  return relay;
}

function askUpstream({ address, port }: ProbeEndpoint, query: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port });
    let received = Buffer.alloc(0);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('no answer')));
    socket.on('connect', () => socket.write(withLength(query)));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk as Buffer]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      resolve(received.subarray(2, 2 + received.readUInt16BE(0)));
      socket.destroy();
    });
  });
}

function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

function tamper(message: Buffer, marker: string): Buffer {
  const at = message.indexOf(marker);
  if (at > 0) message[at] = (message[at] as number) ^ 1;
  return message;
}
