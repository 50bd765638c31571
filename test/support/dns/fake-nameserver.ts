// A name server on loopback, UDP and TCP on one port, with scripted answers, faults included. Its messages are made by
// dns-packet, not by the code under test.
import { createSocket, type Socket } from 'node:dgram';
import { type AddressInfo, createServer, isIPv6, type Server, type Socket as TcpSocket } from 'node:net';
import dnsPacket, { type Answer, type Packet } from 'dns-packet';

export interface Query {
  readonly transport: 'udp' | 'tcp';
  readonly packet: ReturnType<typeof dnsPacket.decode>;
  /** The port of the sender; source ports should differ. */
  readonly port: number;
}

export interface Reply {
  readonly answers?: Answer[];
  readonly authorities?: Answer[];
  readonly additionals?: Answer[];
  /** (Default: NOERROR.) Number of dns-packet's flags, 0 to 15. */
  readonly rcode?: number;
  /** (Default: true.) */
  readonly aa?: boolean;
  readonly tc?: boolean;
  /** Added to the id, so that it is wrong. */
  readonly idOffset?: number;
  /** Another question than the one asked. */
  readonly question?: string;
  /** Bytes of the message that are sent; the rest is lost. */
  readonly cutAt?: number;
}

/** Undefined: no reply. A list: one after the other. */
export type Script = (query: Query) => Reply | readonly Reply[] | undefined;

export interface FakeNameServer {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly queries: Query[];
  close(): Promise<void>;
}

export interface FakeOptions {
  /** (Default: true.) */
  tcp?: boolean;
  /** (Default: 127.0.0.1.) */
  address?: '127.0.0.1' | '::1';
}

export async function startNameServer(script: Script, options: FakeOptions = {}): Promise<FakeNameServer> {
  const { address = '127.0.0.1' } = options;
  const queries: Query[] = [];
  const handle = (transport: 'udp' | 'tcp', bytes: Buffer, port: number): Buffer[] => {
    const query = { transport, packet: dnsPacket.decode(bytes), port };
    queries.push(query);
    const replies = script(query);
    return (replies === undefined ? [] : [replies].flat()).map((reply) => encodeReply(query, reply));
  };
  const sockets = new Set<TcpSocket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk as Buffer]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      for (const reply of handle('tcp', received.subarray(2), socket.remotePort ?? 0)) {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(reply.length);
        // In two pieces: a reader must not count on one.
        socket.write(Buffer.concat([length, reply.subarray(0, 3)]));
        setImmediate(() => socket.end(reply.subarray(3)));
      }
    });
  });
  const { port, udp } = await listen(tcp, address);
  udp.on('message', (bytes, from) => {
    for (const reply of handle('udp', bytes, from.port)) udp.send(reply, from.port, from.address);
  });
  if (options.tcp === false) await new Promise((resolve) => tcp.close(resolve));
  return {
    name: `ns${port}.example.net`,
    address,
    port,
    queries,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      if (tcp.listening) await new Promise((resolve) => tcp.close(resolve));
      await new Promise<void>((resolve) => udp.close(() => resolve()));
    },
  };
}

/** One free port for both protocols: the port that the kernel picks for TCP may be taken for UDP. */
async function listen(tcp: Server, address: string): Promise<{ port: number; udp: Socket }> {
  for (let attempt = 1; ; attempt++) {
    await new Promise<void>((resolve) => tcp.listen(0, address, resolve));
    const { port } = tcp.address() as AddressInfo;
    const udp = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    try {
      await new Promise<void>((resolve, reject) => {
        udp.once('error', reject);
        udp.bind(port, address, resolve);
      });
      udp.removeAllListeners('error');
      return { port, udp };
    } catch (error) {
      udp.close();
      await new Promise((resolve) => tcp.close(resolve));
      if (attempt === 10) throw error;
    }
  }
}

function encodeReply({ packet }: Query, reply: Reply): Buffer {
  const question = packet.questions[0] ?? { name: '', type: 'A' };
  const message: Packet = {
    id: (packet.id + (reply.idOffset ?? 0)) & 0xffff,
    type: 'response',
    // With the operation of the query (RFC 1035 section 4.1.1).
    flags:
      ((packet.flags ?? 0) & 0x7800) |
      (reply.rcode ?? 0) |
      (reply.aa === false ? 0 : dnsPacket.AUTHORITATIVE_ANSWER) |
      (reply.tc ? dnsPacket.TRUNCATED_RESPONSE : 0),
    questions: [{ ...question, name: reply.question ?? question.name }],
    answers: reply.answers ?? [],
    authorities: reply.authorities ?? [],
    additionals: reply.additionals ?? [],
  };
  const bytes = dnsPacket.encode(message);
  return reply.cutAt === undefined ? bytes : bytes.subarray(0, reply.cutAt);
}
