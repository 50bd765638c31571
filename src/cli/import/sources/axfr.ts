// A zone transfer (RFC 5936) from a server, over TCP, with or without TSIG.

import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { formatHostPort } from '#base/address.ts';
import { formatError } from '#base/error-text.ts';
import { CLASS, META, type MessageRecord, nameText, readMessage } from '#dns/message/message.ts';
import { signRequest, type TsigKey, takeTsig } from '#dns/message/tsig.ts';
import { createAnswerCheck } from '#dns/message/tsig-answers.ts';
import { parseZoneName } from '#dns/names/name.ts';
import { nameOfNumber } from '#dns/types/numbers.ts';
import { concat, nameToWire, uint16 } from '#dns/wire/octets.ts';
import { rdataText, typeName } from '#dns/wire/rdata-text.ts';
import { MAX_INPUT } from '../../input.ts';
import { createLines, MAX_LINES, type SourceZone } from '../source.ts';

interface AxfrOptions {
  /** A name or an address. */
  host: string;
  port: number;
  /** Canonical. */
  zone: string;
  key?: TsigKey | undefined;
  signal: AbortSignal;
  /** (Default: that of the machine.) @returns Unix time in seconds */
  now?: () => number;
}

const SOA = 6;
/** The longest silence of the server, and the longest transfer, in ms. */
const IDLE_MS = 30_000;
const TRANSFER_MS = 10 * 60_000;

const REFUSALS: Readonly<Record<number, string>> = {
  1: 'does not understand the question (FORMERR)',
  2: 'cannot answer (SERVFAIL)',
  3: 'has no such zone (NXDOMAIN)',
  4: 'does not support transfers (NOTIMP)',
  5: 'refuses the transfer (REFUSED): allow it for this address, or for a TSIG key that --tsig-key names',
  9: 'does not have this zone, or not for this key (NOTAUTH)',
};

/** @throws Error that names the server and the reason */
export async function readAxfr({ host, port, zone, key, signal, now = unixTime }: AxfrOptions): Promise<SourceZone> {
  const from = `axfr://${formatHostPort(host, port)}/${zone}`;
  const parsed = parseZoneName(zone);
  if (!parsed.ok) throw new Error(`${from}: ${parsed.problem.message}`);
  const query = buildQuery(parsed.value);
  const request = key === undefined ? query : signRequest(query, key, now());
  const check = key === undefined ? null : createAnswerCheck(takeTsig(request)!.tsig, key);
  const records: MessageRecord[] = [];
  let soaCount = 0;
  try {
    for await (const octets of readAnswers({ host, port, request, signal })) {
      const refusal = (octets[3] ?? 0) & 0xf;
      // The reason is in the TSIG record, if there is one.
      if (refusal !== 0 && (key === undefined ? 0 : (takeTsig(octets)?.tsig.error ?? 0)) === 0)
        throw new RangeError(REFUSALS[refusal] ?? `answers with the code ${refusal}`);
      const message = readMessage(check === null ? octets : check.next(octets, now()));
      if (message.id !== firstNumber(request)) throw new RangeError('answers another question');
      for (const record of message.sections[0]) {
        if (records.length === 0 && record.type !== SOA) throw new RangeError('does not begin with the SOA record');
        if (record.type === SOA) soaCount += 1;
        if (soaCount === 2) break;
        records.push(record);
        if (records.length > MAX_LINES) throw new RangeError(`sends more than ${MAX_LINES} records`);
      }
      if (soaCount === 2) break;
    }
    if (soaCount < 2) throw new RangeError('ends the transfer before its last SOA record');
    check?.finish();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const problem = formatError(error);
    throw new Error(`${from}: the server ${problem}`);
  }
  return toSourceZone(from, parsed.value, records);
}

function unixTime(): number {
  return Math.floor(Date.now() / 1000);
}

function buildQuery(zone: string): Uint8Array {
  const header = [randomInt(0x1_0000), 0, 1, 0, 0, 0].map(uint16);
  return concat([...header, nameToWire(zone), uint16(META.AXFR), uint16(CLASS.IN)]);
}

/** The id of a message, or the length in front of it: the number in the first two octets. */
function firstNumber(octets: Uint8Array): number {
  return ((octets[0] ?? 0) << 8) | (octets[1] ?? 0);
}

function toSourceZone(from: string, zone: string, records: readonly MessageRecord[]): SourceZone {
  const lines = createLines(from);
  for (const { name, type, ttl, rdata } of records) {
    const owner = `${nameText(name)}.`;
    const label = nameOfNumber(type) ?? typeName(type);
    lines.add({ place: `${owner} ${label}`, name: owner, type: label, ttl, rdata: rdataText(type, rdata) });
  }
  return lines.zone(zone);
}

interface Connection {
  host: string;
  port: number;
  request: Uint8Array;
  signal: AbortSignal;
}

/**
 * The messages of the server until it closes the connection.
 * @throws Error of the socket, after a silence of 30 s, and after 64 MiB
 */
async function* readAnswers({ host, port, request, signal }: Connection): AsyncGenerator<Uint8Array> {
  const socket = connect({ host, port });
  const stop = () => socket.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal.addEventListener('abort', stop, { once: true });
  socket.setTimeout(IDLE_MS, () => socket.destroy(new Error(`is silent for ${IDLE_MS / 1000} s`)));
  socket.on('connect', () => socket.write(concat([uint16(request.length), request])));
  try {
    const pieces: Uint8Array[] = [];
    let size = 0;
    let total = 0;
    const end = performance.now() + TRANSFER_MS;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      pieces.push(chunk);
      size += chunk.length;
      total += chunk.length;
      if (total > MAX_INPUT) throw new RangeError(`sends more than ${MAX_INPUT / 1024 / 1024} MiB`);
      if (performance.now() > end) throw new RangeError(`needs more than ${TRANSFER_MS / 60_000} minutes`);
      if (size < 2 || size < 2 + readLength(pieces)) continue;
      let whole = concat(pieces);
      while (whole.length >= 2 && whole.length >= 2 + firstNumber(whole)) {
        yield whole.slice(2, 2 + firstNumber(whole));
        whole = whole.subarray(2 + firstNumber(whole));
      }
      pieces.length = 0;
      pieces.push(whole);
      size = whole.length;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}

/** The length in front of the next message; its two octets may be in two pieces. */
function readLength(pieces: readonly Uint8Array[]): number {
  const [first = new Uint8Array(), ...rest] = pieces;
  return firstNumber(first.length >= 2 ? first : concat([first, ...rest]));
}
