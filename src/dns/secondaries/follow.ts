// The state of a secondary, from its answer to a SOA question. Pure; the question goes over UDP to each of its
// addresses.
import { isLater } from '../serial.ts';

/** The longest list of zones that are not current in a report about a secondary. */
export const MAX_BEHIND = 100;

export type Following =
  /** It has the serial of the source. */
  | { readonly state: 'current' }
  /** It has an older one. After NOTIFY this lasts for milliseconds; if it lasts, its transfers fail. */
  | { readonly state: 'behind'; readonly serial: number }
  /** It has a later one and ignores the source until the source jumps over it (`jumpOver`). */
  | { readonly state: 'ahead'; readonly serial: number }
  /** It answers, and does not serve the zone: it has not got it yet, has expired it, or got no NOTIFY. */
  | { readonly state: 'absent'; readonly reason: string };

/**
 * @param ownSerial the serial of the source
 * @param observation the serial in the answer, or the reason why it has none ("answers REFUSED")
 */
export function judgeFollowing(ownSerial: number, observation: { serial: number } | { reason: string }): Following {
  if ('reason' in observation) return { state: 'absent', reason: observation.reason };
  const { serial } = observation;
  if (serial === ownSerial) return { state: 'current' };
  return isLater(serial, ownSerial) ? { state: 'ahead', serial } : { state: 'behind', serial };
}
