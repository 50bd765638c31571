// The probe of a health check, and the health of a record, as people read them in a table or on a page. Pure.
import { EXPECTED_STATUSES, USUAL_PORTS } from '#base/check-form.ts';
import type { ReverseState } from '#dns/reverse.ts';
import type { CheckDefinition, ProbeDefinition, TargetView } from './checks.ts';

/**
 * `https://www.example.com/healthz`, `tcp port 5432` or `signals of a monitor`. Without a host, it has `<address>` in
 * its place.
 */
export function writeProbe(definition: CheckDefinition): string {
  if (definition.type === 'signal') return 'signals of a monitor';
  const { type, port, host = '<address>', path = '/' } = definition;
  if (type === 'tcp') return `tcp port ${port}`;
  const isUsual = port === undefined || port === USUAL_PORTS[type];
  return `${type}://${host}${isUsual ? '' : `:${port}`}${path}`;
}

/** When an address changes its state, as a sentence; null for a check that is not probed. */
export function writeRhythm(definition: CheckDefinition): string | null {
  return definition.type === 'signal' ? null : writeProbeRhythm(definition);
}

function writeProbeRhythm({ interval, timeout, failures, retryInterval, successes }: ProbeDefinition): string {
  const retries = failures === 1 ? '' : `, the retries after ${retryInterval} s each`;
  return `every ${interval} s; unhealthy after ${times(failures, 'failure')}${retries}; healthy after ${times(successes, 'success')}; timeout ${timeout} s`;
}

function times(count: number, noun: 'failure' | 'success'): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun === 'success' ? 'successes' : 'failures'} in a row`;
}

/** The statuses of a healthy answer; null for a check that sends no request. */
export function writeExpected(definition: CheckDefinition): string | null {
  if (definition.type === 'signal' || definition.type === 'tcp') return null;
  return (definition.expect ?? EXPECTED_STATUSES).join(', ');
}

/** The view of the name servers of an address: `it fails for 2 of 3`; null if they do not decide. */
export function writeNameServers({ nameServers }: Pick<TargetView, 'nameServers'>): string | null {
  if (nameServers === null) return null;
  const { total, unhealthy } = nameServers;
  return unhealthy === 0 ? `it works for all ${total}` : `it fails for ${unhealthy} of ${total}`;
}

export interface HealthText {
  check?: string | null | undefined;
  tier?: number | null | undefined;
  weight?: number | null | undefined;
  whenAllFail?: string | null | undefined;
  failing?: boolean | undefined;
}

export interface ReverseText {
  reverse?: boolean | null | undefined;
  reverseState?: ReverseState | undefined;
  reverseOf?: string | undefined;
}

/**
 * `PTR` for a record whose PTR record is written, `no PTR: OtherName` for one with a reason against it, and `PTR of
 * 192.0.2.1` for the PTR record itself. Empty for other records.
 */
export function writeReverse({ reverse, reverseState, reverseOf }: ReverseText): string {
  if (reverseOf !== undefined) return `PTR of ${reverseOf}`;
  if (!reverse) return '';
  return reverseState === undefined || reverseState === 'Written' ? 'PTR' : `no PTR: ${reverseState}`;
}

/** The health of a record: `web, tier 1, failing`. Empty if a record has nothing of it. */
export function writeHealth({ check, tier, whenAllFail, weight, failing }: HealthText): string {
  return [
    ...(check ? [check] : []),
    ...(tier ? [`tier ${tier}`] : []),
    ...(weight ? [`weight ${weight}`] : []),
    ...(whenAllFail === 'ServeNone' ? [whenAllFail] : []),
    ...(failing ? ['failing'] : []),
  ].join(', ');
}
