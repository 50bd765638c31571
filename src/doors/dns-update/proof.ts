// Looks up the TSIG key of a message and checks its signature. The answers to wrong signatures (RFC 8945 section 5.2):
//
//     unknown key, or one that may not be used    NOTAUTH with BADKEY, without a signature
//     wrong MAC                                   NOTAUTH with BADSIG, without a signature
//     time too far away, MAC cut short            NOTAUTH with BADTIME or BADTRUNC, signed
//     MAC of a length that no algorithm allows    FORMERR
import { type Edns, readEdns } from '#dns/message/edns.ts';
import { readMessage } from '#dns/message/message.ts';
import {
  answerUnsigned,
  checkTsig,
  type Signed,
  signAnswer,
  sizeOfTsig,
  type TsigError,
  type TsigKey,
  takeTsig,
} from '#dns/message/tsig.ts';
import type { Guard } from '#http/load/load.ts';
import type { ServiceContext } from '#service/context.ts';
import { type FoundTsigKey, findTsigKey } from '#service/keys/tsig.ts';
import { type AnswerParts, buildAnswer } from './answer.ts';

interface Valid {
  kind: 'valid';
  signed: Signed;
  key: FoundTsigKey;
  /** Unix time in seconds, of the check. */
  now: number;
}

export type SoundProof = { kind: 'unsigned' } | Valid;

interface Wrong {
  kind: 'wrong';
  error: TsigError | 'malformed';
  signed: Signed;
  /** Null: there is none of this name that may be used. */
  key: TsigKey | null;
  now: number;
}

export type MessageProof = SoundProof | Wrong;

/**
 * @param load decides whether the key is looked up at all, while the process is overloaded
 * @param address the client's
 * @throws RangeError when the message or its TSIG record is malformed; Refusal busy; Error when the database is down
 */
export async function prove(
  context: Pick<ServiceContext, 'db' | 'now'>,
  load: Guard,
  octets: Uint8Array,
  address: string,
): Promise<MessageProof> {
  const signedMessage = takeTsig(octets);
  if (signedMessage === null) return { kind: 'unsigned' };
  const { keyName } = signedMessage.tsig;
  load.refuseStrangers(keyName);
  const key = await findTsigKey(context, keyName, address);
  const now = Math.floor(context.now().getTime() / 1000);
  const check = checkTsig(signedMessage, key, now);
  if (!check.ok || key === null)
    return { kind: 'wrong', error: check.ok ? 'BADKEY' : check.error, signed: signedMessage, key, now };
  load.remember(keyName);
  return { kind: 'valid', signed: signedMessage, key, now };
}

/** The answer to a wrong signature, with its TSIG record. */
export function answerWrong(
  { error, signed, key, now }: Wrong,
  parts: Omit<AnswerParts, 'edns' | 'reserved'>,
): Uint8Array {
  const { tsig, unsigned } = signed;
  const complete = { ...parts, edns: ednsIn(unsigned), reserved: sizeOfTsig(tsig) };
  const answer = buildAnswer({ rcode: 'NOTAUTH', text: null, code: 'other' }, complete);
  if ((error === 'BADTIME' || error === 'BADTRUNC') && key !== null) return signAnswer(answer, tsig, key, now, error);
  return answerUnsigned(answer, tsig, error === 'BADSIG' ? 'BADSIG' : 'BADKEY');
}

/** Null: the message has no OPT record, or is malformed. */
function ednsIn(octets: Uint8Array): Edns | null {
  try {
    return readEdns(readMessage(octets).sections[2]);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
