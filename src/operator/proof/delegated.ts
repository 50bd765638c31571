// The condition Delegated: whether the parent zone delegates to the name servers of this service, with the records to
// publish. If the query of the parent fails, the condition is Unknown and never False.
import type { Zone } from '#contract/zone.ts';
import { rdataHex } from '#dns/dnssec/delegation.ts';
import type { SeenAtParent } from '#nameserver/probe/parent.ts';
import { type DelegatedAnswer, no, unknown, yes } from '../run/conditions.ts';

type Delegatee = Pick<Zone, 'zoneName' | 'nameservers' | 'ds' | 'status'>;

/** @param parentAnswer null when no resolver is configured; a text says why the parent could not be queried */
export function delegatedAnswer(zone: Delegatee, parentAnswer: SeenAtParent | string | null): DelegatedAnswer {
  if (zone.status === 'handshake_claim_required') {
    return no(
      'HandshakeClaimRequired',
      `${zone.zoneName} is a single label that the root zone does not delegate. Claim it on Handshake and publish these records there: ${formatRecords(zone)}. If the name is private, list it in ZONESTEAD_PRIVATE_TLDS of the api.`,
    );
  }
  if (parentAnswer === null || typeof parentAnswer === 'string') {
    if (zone.status === 'ds_required') {
      return no(
        'DSRequired',
        `The parent zone has no DS record of this zone. Publish these records there: ${formatRecords(zone)}.`,
      );
    }
    if (parentAnswer !== null)
      return unknown(
        'ParentNotAsked',
        `The operator could not query the parent zone and tries again automatically: ${parentAnswer}.`,
      );
    return unknown(
      'NoResolver',
      `The operator has no resolver to find the parent zone with. Set ZONESTEAD_RESOLVER of the operator. To delegate the zone, publish these records in the parent zone: ${formatRecords(zone)}.`,
    );
  }
  const where = parentAnswer.parent === '' ? 'The root zone' : `The parent zone ${parentAnswer.parent}`;
  const missingNs = rdataHex('NS', zone.nameservers.map(absolute)).filter((wire) => !parentAnswer.ns.includes(wire));
  if (missingNs.length > 0) {
    const what =
      parentAnswer.ns.length === 0 ? 'does not delegate this zone' : 'delegates this zone to other name servers';
    return no('DelegationRequired', `${where} ${what}. Publish these records there: ${formatRecords(zone)}.`);
  }
  const ownDs = rdataHex('DS', zone.ds.map(presentation));
  if (parentAnswer.ds.some((wire) => ownDs.includes(wire)))
    return yes('Delegated', `${where} delegates this zone to its name servers and has its DS record.`);
  if (parentAnswer.ds.length === 0)
    return no(
      'DSRequired',
      `${where} delegates this zone but has no DS record. Publish this record there: ${dsOf(zone)}.`,
    );
  return no(
    'DSMismatch',
    `${where} has a DS record of another key, so that validating resolvers reject this zone. Replace it with this record: ${dsOf(zone)}.`,
  );
}

function absolute(host: string): string {
  return host.endsWith('.') ? host : `${host}.`;
}

function presentation({ keyTag, algorithm, digestType, digest }: Zone['ds'][number]): string {
  return `${keyTag} ${algorithm} ${digestType} ${digest}`;
}

function dsOf({ ds }: Pick<Zone, 'ds'>): string {
  return ds[0]?.record ?? 'the DS record of status.ds';
}

function formatRecords({ zoneName, nameservers, ds }: Delegatee): string {
  const ns = nameservers.map((host) => `${zoneName}. IN NS ${absolute(host)}`);
  return [...ns, ...ds.slice(0, 1).map(({ record }) => record)].join('; ');
}
