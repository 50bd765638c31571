// The form of an app key and what it says in the API's terms, both ways. Judges nothing: names, networks and moments go on
// as they were typed, so that the API's own sentence is said about them.
import type { z } from 'zod';
import type { keyBody } from '../api/schemas/app-key.ts';
import type { KeyView } from '../zones/app-keys.ts';
import { list, type Typed, text } from './forms.ts';

/** Rows for overrides that are offered beyond those that are filled. */
const FREE_ROWS = 2;

export const KEY_FIELDS = [
  'name',
  'records',
  'manageZones',
  'grants',
  'onlyNames',
  'onlyTypes',
  'networks',
  'expiresAt',
  'zoneWrites',
  'recordWrites',
] as const;

/** A zone of the team. */
export interface NamedZone {
  id: string;
  zoneName: string;
}

/** @param idOf the id of a zone of the team; what is none goes on as it is, for the API to refuse */
export function termsOf(typed: Typed, idOf: (zoneName: string) => string | null): z.input<typeof keyBody> {
  const level = (field: string) => text(typed, field) as 'none';
  return {
    name: text(typed, 'name'),
    records: level('records'),
    manageZones: level('manageZones'),
    grants: rowsOf(typed).map(({ zone, level }) => ({ zoneId: idOf(zone) ?? zone, records: level as 'none' })),
    onlyNames: orNull(list(typed, 'onlyNames')),
    onlyTypes: orNull(list(typed, 'onlyTypes')) as 'TXT'[] | null,
    networks: orNull(list(typed, 'networks')),
    expiresAt: momentOf(text(typed, 'expiresAt')),
    zoneWrites: numberOf(text(typed, 'zoneWrites')),
    recordWrites: numberOf(text(typed, 'recordWrites')),
  };
}

/** What the form holds of a key that is there. */
export function typedOfKey(key: KeyView, zones: readonly NamedZone[]): Typed {
  return {
    name: key.name,
    records: key.records,
    manageZones: key.manageZones,
    grantZone: key.grants.map(({ zoneId }) => zones.find(({ id }) => id === zoneId)?.zoneName ?? zoneId),
    grantLevel: key.grants.map(({ records }) => records),
    onlyNames: (key.onlyNames ?? []).join('\n'),
    onlyTypes: key.onlyTypes ?? [],
    networks: (key.networks ?? []).join('\n'),
    expiresAt: key.expiresAt?.slice(0, 16) ?? '',
    zoneWrites: String(key.zoneWrites ?? ''),
    recordWrites: String(key.recordWrites ?? ''),
  };
}

/** What a form for a new key begins with; `certificates`: all that an ACME client needs. */
export function typedOfNewKey(use: string | undefined): Typed {
  if (use !== 'certificates') return { records: 'none', manageZones: 'none' };
  const only = { onlyNames: '_acme-challenge\n_acme-challenge.*', onlyTypes: ['TXT'] };
  return { name: 'certificates', records: 'write', manageZones: 'none', ...only };
}

/** The overrides as rows of the form, free ones below. */
export function grantRows(typed: Typed): { zone: string; level: string }[] {
  return [...rowsOf(typed), ...Array.from({ length: FREE_ROWS }, () => ({ zone: '', level: 'none' }))];
}

function rowsOf(typed: Typed): { zone: string; level: string }[] {
  const [zones, levels] = [[typed.grantZone ?? []].flat(), [typed.grantLevel ?? []].flat()];
  return zones
    .map((zone, at) => ({ zone: zone.trim().toLowerCase(), level: levels[at] ?? 'none' }))
    .filter(({ zone }) => zone !== '');
}

function orNull(texts: string[]): string[] | null {
  return texts.length === 0 ? null : texts;
}

/** What a `datetime-local` field sends has neither seconds nor zone; the form says that it is UTC. */
function momentOf(typed: string): string | null {
  if (typed === '') return null;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(typed) ? `${typed}:00Z` : typed;
}

function numberOf(typed: string): number | null {
  return typed === '' ? null : Number(typed);
}
