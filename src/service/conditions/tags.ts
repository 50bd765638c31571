// The entity tags of zones, records and the records of a zone (RFC 9110 section 8.8.3). A tag is computed from the
// representation, so it needs no column and no statement. All tags are strong: two states with one tag have the same
// octets.
//
//     record      its fields, as an answer has them
//     zone        its fields, with the serial and the time of the last change
//     records     the serial and the version of owners and comments: every change of a record changes one of both
//
// A part after a dot belongs to one form of the same state: the `status` of `GET /zones/{id}`, the head of a zone file.
// A condition of a change ignores it.
import { hash } from 'node:crypto';
import type { ZoneRow } from '#store/zones.ts';
import type { RecordView, ZoneView } from '../zones/view.ts';

/** 132 bits of the hash. */
const CHARACTERS = 22;

function buildTag(values: readonly unknown[], form = ''): string {
  return `"${hash('sha256', JSON.stringify(values), 'base64url').slice(0, CHARACTERS)}${form}"`;
}

/** The fields of a view, or of an answer with its fields: their octets alone count. */
type FieldsOf<T> = { readonly [K in keyof T]: unknown };

export function recordTag(record: FieldsOf<RecordView>): string {
  const { id, name, type, content, ttl, priority, comment = null } = record;
  const { check = null, tier = 0, whenAllFail = null, weight = null, reverse = false } = record;
  const health = [check, tier, whenAllFail, weight, reverse];
  return buildTag(['record', id, name, type, content, ttl, priority, comment, ...health]);
}

/** @param status the `status` of an answer that has one */
export function zoneTag(zone: FieldsOf<ZoneView>, status?: string): string {
  const { id, owner, state, nameservers, ds, defaultTtl, denial, serial, records, updatedAt, comment } = zone;
  const properties = [state, nameservers, ds, defaultTtl, denial, serial, records, updatedAt, comment ?? null];
  const values = ['zone', id, owner, ...properties];
  return buildTag(values, status === undefined ? '' : `.${status}`);
}

/** @param head the head of a zone file: lines that do not come from the records of the zone */
export function recordsTag(zone: Pick<ZoneRow, 'id' | 'serial' | 'ownersVersion'>, head?: string): string {
  const form = head === undefined ? '' : `.${hash('sha256', head, 'base64url').slice(0, CHARACTERS)}`;
  return buildTag(['records', zone.id, zone.serial, zone.ownersVersion], form);
}

/** The tag of the state, without the part of its form. */
export function stripForm(tag: string): string {
  return tag.replace(/\.[\w-]+"$/, '"');
}
