/**
 * Checks the signatures of the messages that answer one signed request, such as a zone transfer (RFC 8945 section
 * 5.3.1). Pure.
 */
import { timingSafeEqual } from 'node:crypto';
import { tsigAlgorithm } from '../tsig/key.ts';
import { concat, uint16 } from '../wire/octets.ts';
import {
  computeMac,
  encodeTimes,
  encodeVariables,
  FUDGE,
  TSIG_ERROR,
  type Tsig,
  type TsigKey,
  takeTsig,
} from './tsig.ts';

/** At most so many messages may follow each other without a signature (RFC 8945 section 5.3.1). */
const MAX_UNSIGNED = 99;

export interface AnswerCheck {
  /**
   * Checks the next message.
   * @param now Unix time in seconds
   * @returns the message without its TSIG record
   * @throws RangeError with a text for people
   */
  next(message: Uint8Array, now: number): Uint8Array;
  /** @throws RangeError if the last message had no signature */
  finish(): void;
}

/** @param request the TSIG record of the request */
export function createAnswerCheck(request: Tsig, key: TsigKey): AnswerCheck {
  let before = request.mac;
  let isFirst = true;
  let unsigned: Uint8Array[] = [];
  return {
    next: (message, now) => {
      const signedMessage = takeTsig(message);
      if (signedMessage === null) {
        if (isFirst) throw new RangeError('the answer has no signature');
        unsigned.push(message);
        if (unsigned.length > MAX_UNSIGNED) throw new RangeError(`${MAX_UNSIGNED} messages have no signature`);
        return message;
      }
      const { tsig, unsigned: plain } = signedMessage;
      if (tsig.error !== 0) throw new RangeError(`the server answers ${nameOfError(tsig.error)}`);
      if (tsig.keyName !== key.name || tsig.algorithm !== tsigAlgorithm(key.algorithm).wireName)
        throw new RangeError('the answer is signed with another key');
      const variables = isFirst ? encodeVariables(tsig) : encodeTimes(tsig);
      const mac = computeMac(key, [concat([uint16(before.length), before]), ...unsigned, plain, variables]);
      if (mac.length !== tsig.mac.length || !timingSafeEqual(mac, tsig.mac))
        throw new RangeError('the signature of the answer is wrong');
      if (Math.abs(now - tsig.time) > Math.min(tsig.fudge, FUDGE))
        throw new RangeError('the clock of the server differs by more than 5 minutes');
      [before, isFirst, unsigned] = [tsig.mac, false, []];
      return plain;
    },
    finish: () => {
      if (unsigned.length > 0) throw new RangeError('the last message has no signature');
    },
  };
}

function nameOfError(code: number): string {
  const entry = Object.entries(TSIG_ERROR).find(([, number]) => number === code);
  return entry?.[0] ?? `TSIG error ${code}`;
}
