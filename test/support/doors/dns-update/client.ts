// A client of the port of DNS updates: it signs messages, sends them, and checks the signature of each answer.
import { createHmac, randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { META, readMessage } from '#dns/message/message.ts';
import { signRequest, TSIG_ERROR, type TsigKey, takeTsig } from '#dns/message/tsig.ts';
import { tsigAlgorithm } from '#dns/tsig/key.ts';
import { rcodeName } from '#dns/wire/rcodes.ts';
import type { KeyOptions } from '../../service/keys.ts';
import type { TestService } from '../../service/service.ts';
import { type UpdateParts, updateMessage } from './message.ts';

export interface UpdateKey extends TsigKey {
  /** The id of the API key. */
  id: string;
  /** Its text. */
  text: string;
  team: string;
}

/** An API key with a TSIG key. */
export async function updateKey(
  service: TestService,
  { algorithm = 'hmac-sha256', ...options }: KeyOptions & { algorithm?: TsigKey['algorithm'] } = {},
): Promise<UpdateKey> {
  const key = await service.key(options);
  const secret = createHmac('sha256', 'test').update(key.id).digest();
  const name = `key-${key.id}.zonestead`;
  await service.sql`insert into tsig_keys (name, algorithm, secret, key_id)
    values (${name}, ${algorithm}, ${secret.toString('base64')}, ${key.id})`;
  return { ...key, name, algorithm, secret };
}

export interface Reply {
  rcode: string;
  /** The error of the TSIG record; null without one or without a record. */
  error: string | null;
  /** Whether the answer is signed by the key over the MAC of the request. */
  isSigned: boolean;
  /** The extended error. */
  text: string | null;
  octets: Uint8Array;
}

interface Sending {
  tcp?: boolean;
  /** Unix time in seconds. (Default: now.) */
  time?: number;
  /** From this address of the machine. (Default: 127.0.0.1.) */
  from?: string;
}

/** Sends an update and reads its answer. */
export async function update(port: number, key: TsigKey, parts: UpdateParts, options: Sending = {}): Promise<Reply> {
  const { time = Math.floor(Date.now() / 1000) } = options;
  const message = updateMessage({ id: randomInt(0x1_0000), ...parts });
  const request = signRequest(message, key, time);
  return readReply(await exchange(port, request, options), request, key);
}

/** A message with a signature of now. */
export function signed(message: Uint8Array, key: TsigKey): Uint8Array {
  return signRequest(message, key, Math.floor(Date.now() / 1000));
}

/** Sends octets, over UDP again when there is no answer, and returns the answer. */
export async function exchange(port: number, request: Uint8Array, { tcp = false, from = '127.0.0.1' }: Sending = {}) {
  return tcp ? overTcp(port, request, from) : overUdp(port, request, from);
}

/** The time after which a datagram is sent again, and how often. */
const AGAIN = { ms: 15_000, times: 4 };

async function overUdp(port: number, request: Uint8Array, from: string): Promise<Uint8Array> {
  const socket = createSocket('udp4');
  try {
    socket.bind(0, from);
    const answered = once(socket, 'message') as Promise<[Buffer]>;
    for (let tries = 0; tries < AGAIN.times; tries += 1) {
      socket.send(request, port, '127.0.0.1');
      const first = await Promise.race([answered, sleep(AGAIN.ms)]);
      if (first !== undefined) return Uint8Array.from(first[0]);
    }
    throw new Error('no answer over UDP');
  } finally {
    socket.close();
  }
}

async function overTcp(port: number, request: Uint8Array, from: string): Promise<Uint8Array> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16BE(request.length);
  socket.write(Buffer.concat([prefix, request]));
  let received = Buffer.alloc(0);
  try {
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer]);
      if (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) break;
    }
  } finally {
    socket.destroy();
  }
  if (received.length < 2) throw new Error('no answer over TCP');
  return Uint8Array.from(received.subarray(2, 2 + received.readUInt16BE(0)));
}

const ERRORS: ReadonlyMap<number, string> = new Map(Object.entries(TSIG_ERROR).map(([name, code]) => [code, name]));

export function readReply(octets: Uint8Array, request: Uint8Array, key: TsigKey): Reply {
  const signed = takeTsig(octets);
  const message = readMessage(signed?.unsigned ?? octets);
  const opt = message.sections[2].find(({ type }) => type === META.OPT);
  const text = opt === undefined || opt.rdata.length < 6 ? null : Buffer.from(opt.rdata.subarray(6)).toString();
  return {
    rcode: rcodeName((octets[3] as number) & 0xf),
    error: signed === null ? null : (ERRORS.get(signed.tsig.error) ?? null),
    isSigned: signed !== null && signed.tsig.mac.length > 0 && isSignedOver(signed, request, key),
    text,
    octets,
  };
}

/** RFC 8945 section 5.3, computed here again. */
function isSignedOver(answer: NonNullable<ReturnType<typeof takeTsig>>, request: Uint8Array, key: TsigKey): boolean {
  const { hash, wireName } = tsigAlgorithm(key.algorithm);
  const asked = takeTsig(request)?.tsig.mac ?? new Uint8Array();
  const { unsigned, tsig } = answer;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(asked.length);
  const name = (text: string) =>
    Buffer.concat([
      ...text.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)])),
      Buffer.of(0),
    ]);
  const fields = Buffer.alloc(12 + tsig.other.length);
  fields.writeUIntBE(tsig.time, 0, 6);
  fields.writeUInt16BE(tsig.fudge, 6);
  fields.writeUInt16BE(tsig.error, 8);
  fields.writeUInt16BE(tsig.other.length, 10);
  fields.set(tsig.other, 12);
  const variables = [name(key.name), Buffer.from('00ff00000000', 'hex'), name(wireName), fields];
  const mac = createHmac(hash, key.secret)
    .update(Buffer.concat([length, asked, unsigned, ...variables]))
    .digest();
  return mac.equals(tsig.mac);
}
