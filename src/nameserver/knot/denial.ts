// How a zone in knotd denies names: the policy of the zone in the configuration, and the records in its contents.
//
//     the zone gets another policy → knotd signs it with the new records, in one commit → they are in its contents
//
// knotd answers with the old contents until that commit. The policy stays in the configuration database, so a knotd
// that is killed in between signs the zone at its next start.
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import { DEFAULT_DENIAL, type Denial } from '#dns/dnssec/denial.ts';
import { POLICIES } from './configuration.ts';
import type { KnotControl, KnotItem } from './control.ts';
import { isRefusal, KnotError } from './errors.ts';
import { isLoading } from './load.ts';
import { absolute } from './records.ts';
import { changeZoneItems } from './zone-items.ts';

const LOOK_MS = 100;
/** Knot's texts. */
const NO_NODE = 'no such node in zone found';

/** Gives the zone the policy of the denial, if it has another one. No zone may be loading. */
export async function setDenial(
  control: KnotControl,
  zone: string,
  denial: Denial,
  signal: AbortSignal,
): Promise<void> {
  if ((await readPolicy(control, zone, signal)) === POLICIES[denial]) return;
  const isDefault = denial === DEFAULT_DENIAL;
  const item = { zone, item: 'dnssec-policy', ...(isDefault ? {} : { data: POLICIES[denial] }) };
  await changeZoneItems(control, [item], signal);
}

/** The policy of a zone. Without one of its own, it has that of the template. */
async function readPolicy(control: KnotControl, zone: string, signal: AbortSignal): Promise<string> {
  const item = { section: 'zone', id: absolute(zone), item: 'dnssec-policy' };
  const values = await control.run('conf-read', item, signal).catch((error: unknown) => {
    if (isRefusal(error, 'not exists', 'not found')) return [];
    throw error;
  });
  return values[0]?.data ?? POLICIES[DEFAULT_DENIAL];
}

/**
 * Resolves when the contents of the zone have the denial of its policy, and knotd has the time of its next signatures.
 * Knot 3.2 forgets that time when a zone returns to NSEC, and does not sign it until its keys are loaded again. It
 * signs in the background.
 * @throws KnotError if knotd does not sign; the zone is valid with the old denial then
 */
export async function followDenial(
  control: KnotControl,
  clock: Clock,
  zone: string,
  denial: Denial,
  signal: AbortSignal,
): Promise<void> {
  const at = { zone: absolute(zone) };
  for (let isAsked = false; ; ) {
    const states = await control.run('zone-status', at, signal);
    if (!isLoading(states) && !isSigning(states)) {
      const current = await readDenial(control, zone, signal);
      if (current === null || (current === denial && isScheduled(states))) return;
      if (isAsked) throw notSigned(zone, denial, current);
      await control.run('zone-keys-load', at, signal);
      isAsked = true;
    }
    await sleep(clock, LOOK_MS, signal);
  }
}

function isSigning(states: readonly KnotItem[]): boolean {
  return states.some(({ type, data = '' }) => type === 're-sign' && /^(running|pending)\b/.test(data));
}

function isScheduled(states: readonly KnotItem[]): boolean {
  return states.some(({ type, data }) => type === 're-sign' && data !== '-');
}

function notSigned(zone: string, denial: Denial, current: Denial): KnotError {
  const message = `knotd did not sign the zone ${zone} with ${denial} records; its log has the reason. It answers with ${current} records`;
  return new KnotError('refused', 'not signed', message);
}

/** The denial in the contents of the zone; null if it has none yet. */
async function readDenial(control: KnotControl, zone: string, signal: AbortSignal): Promise<Denial | null> {
  const types = new Set<string>();
  const units = ['SOA', 'NSEC3PARAM'].map((type) => ({ zone: absolute(zone), owner: '@', type }));
  const take = (items: KnotItem[]) => {
    for (const { type = '' } of items) types.add(type);
  };
  await control
    .session(({ stream }) => stream('zone-read', units, take), signal)
    .catch((error: unknown) => {
      if (!isRefusal(error, NO_NODE)) throw error;
    });
  if (!types.has('SOA')) return null;
  return types.has('NSEC3PARAM') ? 'NSEC3' : 'NSEC';
}
