// Questions to the name server of a test: by dns-packet, by dig, and by delv, which validates every signature up to a
// trust anchor. None of them is code under test.
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, isIPv6 } from 'node:net';
import { join } from 'node:path';
import dnsPacket, { type Answer, type Packet } from 'dns-packet';
import { inject } from 'vitest';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';

export interface Lookup {
  rcode: string;
  aa: boolean;
  /** `www.example 60 A 192.0.2.1`, without signatures, sorted. */
  answers: string[];
  packet: Packet;
}

export interface Validation {
  /** `secure`: signatures up to the anchor. `insecure`: proven to be unsigned. `bogus`: neither. */
  state: 'secure' | 'insecure' | 'bogus';
  /** The proven statement, if the answer is a proof of nonexistence. */
  negative: 'nxdomain' | 'nodata' | null;
  /** The records, without signatures, blanks made one. */
  records: string[];
  text: string;
}

export interface Resolver extends ProbeEndpoint {
  /** UDP, and TCP when the answer is cut. */
  lookup(name: string, type: string, options?: { dnssec?: boolean; tcp?: boolean }): Promise<Lookup>;
  /** The output of dig with these arguments after server and port. */
  dig(...words: string[]): Promise<string>;
  /** Validates an answer against a key of `zone`: its DNSKEY as it is served, or a DS given as `anchor`. */
  delv(zone: string, name: string, type: string, anchor?: { ds: string }): Promise<Validation>;
}

/** A name server that answers later does not answer. Long enough for one that a busy machine makes wait. */
const LIMIT_MS = 10_000;
/** A type that dns-packet knows by its number only. */
const [HTTPS, HTTPS_BY_NUMBER] = ['HTTPS', 'UNKNOWN_65'];

export function createResolver(server: ProbeEndpoint, stateDir: string): Resolver {
  const { dig: digCommand, delv: delvCommand } = inject('tools');
  const { signal } = new AbortController();
  const at = [`@${server.address}`, '-p', String(server.port)];
  // delv says on its standard error what it could not resolve.
  const run = async (command: string, args: string[]) =>
    (await runCommand({ command, args, timeoutMs: 60_000, signal })).tail;
  const lookup: Resolver['lookup'] = async (name, type, { dnssec = false, tcp = false } = {}) => {
    const id = randomInt(0x1_0000);
    const question = { name, type: type === HTTPS ? HTTPS_BY_NUMBER : type };
    const opt = { name: '.', type: 'OPT', udpPayloadSize: 1232, flags: dnssec ? 0x8000 : 0, options: [] };
    const query = dnsPacket.encode({ id, type: 'query', questions: [question], additionals: [opt] });
    let packet = dnsPacket.decode(await (tcp ? overTcp : overUdp)(server, query));
    const flags = packet.flags ?? 0;
    if ((flags & dnsPacket.TRUNCATED_RESPONSE) !== 0) packet = dnsPacket.decode(await overTcp(server, query));
    for (const answer of packet.answers ?? []) if (answer.type === HTTPS_BY_NUMBER) answer.type = HTTPS;
    const answers = (packet.answers ?? []).filter((answer) => answer.type !== 'RRSIG').map(answerText);
    const aa = (flags & dnsPacket.AUTHORITATIVE_ANSWER) !== 0;
    return { rcode: packet.rcode ?? '', aa, answers: answers.sort(), packet };
  };
  return {
    ...server,
    lookup,
    dig: (...words) => run(digCommand, [...at, '+norecurse', ...words]),
    delv: async (zone, name, type, anchor) => {
      const key = async () => {
        const { rcode, aa, packet } = await lookup(zone, 'DNSKEY');
        const data = packet.answers?.[0]?.data as { key: Buffer } | undefined;
        if (data === undefined) throw new Error(`${zone} has no DNSKEY: ${rcode}${aa ? ', authoritative' : ''}`);
        return `static-key 257 3 13 "${data.key.toString('base64')}"`;
      };
      const trust = anchor === undefined ? await key() : `static-ds ${anchor.ds.replace(/(\S+)$/, '"$1"')}`;
      const file = join(stateDir, `anchor-${randomInt(2 ** 40)}`);
      await writeFile(file, `trust-anchors { "${zone}." ${trust}; };\n`);
      return judge(await run(delvCommand, [...at, '-a', file, `+root=${zone}`, '+nocrypto', name, type]));
    },
  };
}

function judge(text: string): Validation {
  const comments = text.split('\n').filter((line) => line.startsWith(';'));
  const said = (words: string) => comments.some((line) => line.includes(words));
  const records = text.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
  return {
    state: said('fully validated') ? 'secure' : said('unsigned answer') ? 'insecure' : 'bogus',
    negative: said('$NXDOMAIN') ? 'nxdomain' : said('$NXRRSET') ? 'nodata' : null,
    records: records.map((line) => line.replaceAll(/\s+/g, ' ')).filter((line) => !/ IN RRSIG /.test(line)),
    text,
  };
}

/** One line as a zone file has it, as far as these tests read types. */
function answerText({ name, ttl, type, data }: Answer): string {
  return `${name} ${ttl} ${type} ${dataText(type, data)}`;
}

function dataText(type: string, data: unknown): string {
  if (typeof data === 'string') return data;
  if (type === 'TXT') return (Array.isArray(data) ? data : [data]).map((part) => `"${part}"`).join(' ');
  if (type === 'MX') {
    const { preference, exchange } = data as { preference: number; exchange: string };
    return `${preference} ${exchange}`;
  }
  if (type === 'DS') {
    const { keyTag, algorithm, digestType, digest } = data as Record<string, unknown>;
    return `${keyTag} ${algorithm} ${digestType} ${(digest as Buffer).toString('hex')}`;
  }
  return JSON.stringify(data);
}

/** Another query may have had this port before, and its late answer is not that of this one. */
async function overUdp({ address, port }: ProbeEndpoint, query: Buffer): Promise<Buffer> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  const limit = { signal: AbortSignal.timeout(LIMIT_MS) };
  try {
    socket.connect(port, address);
    await once(socket, 'connect', limit);
    socket.send(query);
    for (;;) {
      const [answer] = (await once(socket, 'message', limit)) as [Buffer];
      if (answer.readUInt16BE() === query.readUInt16BE()) return answer;
    }
  } finally {
    socket.close();
  }
}

async function overTcp({ address, port }: ProbeEndpoint, query: Buffer): Promise<Buffer> {
  const socket = connect(port, address);
  socket.setTimeout(LIMIT_MS, () => socket.destroy(new Error('no answer over TCP')));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(query.length);
  socket.write(Buffer.concat([length, query]));
  let received = Buffer.alloc(0);
  for await (const chunk of socket) {
    received = Buffer.concat([received, chunk as Buffer]);
    if (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) break;
  }
  return received.subarray(2);
}
