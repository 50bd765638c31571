// Damaged messages through everything that needs no database: each is an update, or has an answer of the protocol.
import { expect, test } from 'vitest';
import { readEdns } from '#dns/message/edns.ts';
import { readHeader, readMessage, readOnlyQuestion } from '#dns/message/message.ts';
import { checkTsig, signAnswer, signRequest, sizeOfTsig, type TsigKey, takeTsig } from '#dns/message/tsig.ts';
import { addedBy, evaluate, listUpdateNames, type UpdateRrset } from '#dns/update/apply.ts';
import { isFlaw, readUpdate } from '#dns/update/read.ts';
import { buildAnswer } from '#doors/dns-update/answer.ts';
import { createNumbers, fuzzedMessage } from '../../../support/doors/dns-update/fuzz.ts';
import { effort } from '../../../support/runner/seed.ts';

const ZONE = 'example.com';
const KEY: TsigKey = { name: 'key-1.zonestead', algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 7) };
const NOW = 1_700_000_000;
const MESSAGES = effort(100_000, 3_000);

type Kind = 'malformed' | 'no update' | 'flaw' | 'unmet' | 'refused' | 'rrsets';

test(`${MESSAGES} damaged messages are answered`, () => {
  const number = createNumbers(2136);
  const counts: Record<Kind, number> = { malformed: 0, 'no update': 0, flaw: 0, unmet: 0, refused: 0, rrsets: 0 };
  for (let index = 0; index < MESSAGES; index += 1) {
    const message = fuzzedMessage(number, ZONE);
    try {
      counts[handle(signRequest(message, KEY, NOW))] += 1;
    } catch (error) {
      throw new Error(`message ${index}: ${Buffer.from(message).toString('hex')}`, { cause: error });
    }
  }
  // Damage that is too heavy, or too light, would test nothing.
  for (const [kind, count] of Object.entries(counts)) expect(count, kind).toBeGreaterThan(MESSAGES / 1_000);
});

function handle(request: Uint8Array): Kind {
  const header = readHeader(request);
  const signed = orMalformed(() => takeTsig(request));
  const question = orMalformed(() => readOnlyQuestion(request));
  if (header === null || signed === null || signed === undefined || question === undefined) return 'malformed';
  // Damage can make octets before the signature a part of another record.
  if (!checkTsig(signed, KEY, NOW).ok) return 'malformed';
  const message = orMalformed(() => {
    const read = readMessage(signed.unsigned);
    return { ...read, edns: readEdns(read.sections[2]) };
  });
  const parts = {
    id: header.id,
    opcode: header.opcode,
    question,
    edns: message?.edns ?? null,
    protocol: 'udp' as const,
  };
  const reserved = sizeOfTsig(signed.tsig);
  const answer = buildAnswer({ rcode: 'REFUSED', text: 'x'.repeat(1_000), code: 'other' }, { ...parts, reserved });
  const whole = signAnswer(answer, signed.tsig, KEY, NOW);
  const most = Math.max(512, message?.edns?.payload ?? 0, 12 + 259 + reserved);
  if (!readMessage(whole).isAnswer || whole.length > most) throw new Error(`an answer of ${whole.length} octets`);
  if (message === undefined) return 'malformed';
  if (question === null || question.name.join('.') !== ZONE) return 'no update';
  const update = readUpdate(message, { labels: question.name, name: ZONE });
  if (isFlaw(update)) {
    if (!update.text.endsWith('.')) throw new Error(update.text);
    return 'flaw';
  }
  const names = listUpdateNames(update);
  if (addedBy(update).some(({ name }) => !names.includes(name))) throw new Error('a name would not be loaded');
  const at = (): readonly UpdateRrset[] => [];
  return evaluate(update, { defaultTtl: 300, at, soa: 'ns.test. host.test. 1 2 3 4 5', nameservers: ['ns.test'] }).kind;
}

/** Undefined if the octets are malformed. */
function orMalformed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
