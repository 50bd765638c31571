// The JSON of the PowerDNS API for zones and RRsets. Fields are in the order of PowerDNS, which is that of the
// alphabet: acme.sh reads answers with grep, and expects "name" before "records". Pure.

import { fqdn } from '#dns/names/name.ts';
import { NS_TTL, SOA_TTL } from '#dns/own-records.ts';
import type { ListedRrset } from '#service/records/list-rrsets.ts';
import type { ZoneView } from '#service/zones/view.ts';
import { type CommentView, commentViews } from './comments.ts';
import type { OwnRrset } from './read-rrsets.ts';
import { completeSettings, NSEC3_PARAMETERS, type ZoneSettings } from './read-settings.ts';
import { encodeZoneId } from './zone-id.ts';

export const SERVER_PATH = '/api/v1/servers/localhost';

/** A zone in a list. */
export function zoneItem(
  { zoneName, serial }: Pick<ZoneView, 'zoneName' | 'serial'>,
  { account, kind }: ZoneSettings = completeSettings(undefined),
) {
  const id = encodeZoneId(zoneName);
  return {
    account,
    catalog: '',
    dnssec: true,
    edited_serial: serial,
    id,
    kind,
    last_check: 0,
    masters: [],
    name: `${zoneName}.`,
    notified_serial: serial,
    serial,
    url: `${SERVER_PATH}/zones/${id}`,
  };
}

/** A zone as its own address has it, without its RRsets. */
export function zoneHead(zone: Pick<ZoneView, 'zoneName' | 'serial' | 'denial'>, settings: ZoneSettings) {
  const { serial, url, ...item } = zoneItem(zone, settings);
  return {
    ...item,
    api_rectify: settings.api_rectify,
    master_tsig_key_ids: [],
    nsec3narrow: false,
    nsec3param: zone.denial === 'NSEC3' ? NSEC3_PARAMETERS : '',
    serial,
    slave_tsig_key_ids: [],
    soa_edit: settings.soa_edit,
    soa_edit_api: settings.soa_edit_api,
    url,
  };
}

export interface RrsetView {
  comments: readonly CommentView[];
  /** Absolute, with a final dot. */
  name: string;
  records: { content: string; disabled: false }[];
  ttl: number;
  type: string;
}

/** @param zone the canonical name of the zone */
export function rrsetView({ name, type, ttl, values, comments }: ListedRrset, zone: string): RrsetView {
  return rrset(`${fqdn(name, zone)}.`, type, ttl, values, comments);
}

/** The service's own records of the apex. */
export function ownRrsets({ nameservers }: Pick<ZoneView, 'nameservers'>, soa: string): OwnRrset[] {
  return [
    { type: 'SOA', values: [soa] },
    { type: 'NS', values: nameservers.map((host) => `${host}.`) },
  ];
}

export function ownView({ type, values }: OwnRrset, zone: string): RrsetView {
  return rrset(`${zone}.`, type, type === 'SOA' ? SOA_TTL : NS_TTL, values, []);
}

function rrset(
  name: string,
  type: string,
  ttl: number,
  values: readonly string[],
  comments: readonly string[],
): RrsetView {
  return {
    comments: commentViews(comments),
    name,
    records: values.map((content) => ({ content, disabled: false })),
    ttl,
    type,
  };
}
