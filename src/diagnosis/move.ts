// The next step of a move of a zone to this service, from the records at the parent and in the caches of resolvers.
// Pure.
//
// Zonestead does not publish keys of another operator, so two operators cannot sign a zone at once (RFC 8901), and a
// signed zone becomes unsigned for the time of the move (RFC 6781 section 4.3.5.2). The order of the steps is:
//
//     parent has            resolvers still have       step
//     old NS, any DS        –                          remove the DS records
//     old NS, no DS         a DS record                wait
//     old NS, no DS         no DS record               change the NS records
//     own NS, other DS      –                          remove the DS records: validating resolvers reject the zone
//     own NS, no DS         NS records of the other    wait
//     own NS, no DS         own NS records             add the DS record
//     own NS, own DS        –                          done
//     some own NS, no other –                          add the missing NS records: there is no other operator
import type { Zone } from '#contract/zone.ts';
import { rdataHex } from '#dns/dnssec/delegation.ts';

export interface RecordSet {
  /** RDATA in canonical wire form, in hex. */
  values: readonly string[];
  /** In seconds. At the parent the full TTL, at a resolver the rest of it. */
  ttl: number;
}

/** The two record sets of a delegation. */
export interface DelegationSets {
  ns: RecordSet;
  ds: RecordSet;
}

export interface MoveStep {
  step: 'remove-ds' | 'wait' | 'change-ns' | 'add-ds' | 'done';
  /** For people: the step, and the reason. */
  text: string;
}

type MovedZone = Pick<Zone, 'zoneName' | 'nameservers' | 'ds'>;

/** @param cached null if no resolver answers: the text then says how long to wait */
export function planMove(
  zone: MovedZone,
  parent: DelegationSets & { name: string },
  cached: DelegationSets | null,
): MoveStep {
  const where = parent.name === '' ? 'the root zone' : `the parent zone ${parent.name}`;
  const own = { ns: ownNs(zone), ds: ownDs(zone) };
  const isHere = own.ns.every((each) => parent.ns.values.includes(each));
  const foreign = parent.ds.values.filter((each) => !own.ds.includes(each));
  const hasOwnDs = foreign.length < parent.ds.values.length;
  const dsLine = zone.ds[0]?.record ?? '';
  const isPartlyHere = parent.ns.values.length > 0 && parent.ns.values.every((each) => own.ns.includes(each));
  if (isPartlyHere) {
    if (foreign.length > 0 && hasOwnDs)
      return { step: 'remove-ds', text: `Remove ${count(foreign)} of the other operator at ${where}, and keep ours.` };
    if (foreign.length > 0)
      return {
        step: 'remove-ds',
        text: `Remove ${count(foreign)} at ${where} now: validating resolvers reject the zone, because its keys are others.`,
      };
    if (!isHere) {
      const missing = zone.nameservers.filter((_, at) => !parent.ns.values.includes(own.ns[at] as string));
      return { step: 'change-ns', text: `Add the missing records at ${where}: ${formatNsRecords(zone, missing)}` };
    }
    if (hasOwnDs) return { step: 'done', text: `${zone.zoneName} is delegated to this service, with its DS record.` };
    const old = cached?.ns.values.some((each) => !own.ns.includes(each)) === true;
    if (old) return wait(cached?.ns.ttl ?? 0, 'a resolver still has the NS records of the other operator');
    return {
      step: 'add-ds',
      text: `Add the DS record at ${where}: ${dsLine}.${cached === null ? blind('NS records') : ''}`,
    };
  }
  if (parent.ds.values.length > 0) {
    return {
      step: 'remove-ds',
      text: `Remove ${count(parent.ds.values)} at ${where}, and keep the NS records. Resolvers keep ${count(parent.ds.values)} for up to ${parent.ds.ttl} s. Then run this command again.`,
    };
  }
  if (cached !== null && cached.ds.values.length > 0) return wait(cached.ds.ttl, 'a resolver still has a DS record');
  const verb = parent.ns.values.length === 0 ? 'Add' : 'Replace the NS records with';
  return {
    step: 'change-ns',
    text: `${verb} these records at ${where}: ${formatNsRecords(zone, zone.nameservers)}${cached === null ? blind('DS records') : ''}`,
  };
}

/** Ends with the dot of a name, which also ends the sentence. */
function formatNsRecords({ zoneName }: MovedZone, hosts: readonly string[]): string {
  return hosts.map((host) => `${zoneName}. NS ${host}.`).join(', ');
}

function wait(seconds: number, reason: string): MoveStep {
  return { step: 'wait', text: `Wait ${seconds} s and run this command again: ${reason}.` };
}

function blind(what: string): string {
  return ` No resolver answers here, so wait first until the TTL of the old ${what} has passed.`;
}

function count(values: readonly string[]): string {
  return values.length === 1 ? 'the DS record' : `the ${values.length} DS records`;
}

function ownNs({ nameservers }: MovedZone): string[] {
  return rdataHex(
    'NS',
    nameservers.map((host) => (host.endsWith('.') ? host : `${host}.`)),
  );
}

function ownDs({ ds }: MovedZone): string[] {
  return rdataHex(
    'DS',
    ds.map(({ keyTag, algorithm, digestType, digest }) => `${keyTag} ${algorithm} ${digestType} ${digest}`),
  );
}
