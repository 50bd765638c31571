// Looks up the TSIG key of a message and checks its signature. The answers to wrong signatures (RFC 8945 section 5.2):
//
//     unknown key, or one that may not be used    NOTAUTH with BADKEY, without a signature
//     wrong MAC                                   NOTAUTH with BADSIG, without a signature
//     time too far away, MAC cut short            NOTAUTH with BADTIME or BADTRUNC, signed
import {
  answerUnsigned,
  checkTsig,
  type Signed,
  signAnswer,
  type TsigError,
  type TsigKey,
  takeTsig,
} from '#dns/message/tsig.ts';
import type { ServiceContext } from '#service/context.ts';
import { type FoundTsigKey, findTsigKey } from '#service/keys/tsig.ts';

export type Proof =
  | { kind: 'unsigned' }
  | { kind: 'valid'; signed: Signed; key: FoundTsigKey; now: number }
  | {
      kind: 'wrong';
      error: TsigError | 'malformed';
      signed: Signed;
      /** Adds the TSIG record of the error to an answer. */
      finish(answer: Uint8Array): Uint8Array;
    };

/**
 * @param address the client's
 * @returns `now` in seconds of Unix time
 * @throws RangeError when the message or its TSIG record is malformed; Error when the database is away
 */
export async function prove(
  context: Pick<ServiceContext, 'db' | 'now'>,
  octets: Uint8Array,
  address: string,
): Promise<Proof> {
  const signed = takeTsig(octets);
  if (signed === null) return { kind: 'unsigned' };
  const { tsig } = signed;
  const found = await findTsigKey(context, tsig.keyName, address);
  const key: TsigKey | null = found;
  const now = Math.floor(context.now().getTime() / 1000);
  const check = checkTsig(signed, key, now);
  if (check.ok && found !== null) return { kind: 'valid', signed, key: found, now };
  const error = check.ok ? 'BADKEY' : check.error;
  return {
    kind: 'wrong',
    error,
    signed,
    finish: (answer) => {
      if (error === 'BADTIME' || error === 'BADTRUNC') return signAnswer(answer, tsig, key as TsigKey, now, error);
      return answerUnsigned(answer, tsig, error === 'BADSIG' ? 'BADSIG' : 'BADKEY');
    },
  };
}
