// Converts the form of an app key to the API's terms and back. Validates nothing: names, networks and times are passed
// on as typed, so that the API's own sentence is shown about them.
import type { z } from 'zod';
import type { keyBody } from '#contract/app-key.ts';
import type { TsigKeyAlgorithm } from '#dns/tsig/key.ts';
import { isNamedType } from '#dns/types/record-type.ts';
import type { KeyView } from '#service/credentials/keys.ts';
import { list, type Typed, textField } from '../shell/forms.ts';

/** The number of empty rows for overrides. */
const FREE_ROWS = 2;

export const KEY_FIELDS = [
  'name',
  'records',
  'manageZones',
  'clusters',
  'signals',
  'grants',
  'onlyNames',
  'onlyTypes',
  'networks',
  'expiresAt',
  'zoneWrites',
  'recordWrites',
  'tsig',
] as const;

/** A zone of the team. */
export interface OfferedZone {
  id: string;
  zoneName: string;
}

/** @param idOf gives the id of a zone of the team. An unknown name is passed on, and the API refuses it */
export function readKeyTerms(typed: Typed, idOf: (zoneName: string) => string | null): z.input<typeof keyBody> {
  const level = (field: string) => textField(typed, field) as 'none';
  return {
    name: textField(typed, 'name'),
    records: level('records'),
    manageZones: level('manageZones'),
    clusters: textField(typed, 'clusters') === '' ? 'none' : 'write',
    signals: list(typed, 'signals'),
    grants: listGrantRows(typed).map(({ zone, level }) => ({ zoneId: idOf(zone) ?? zone, records: level as 'none' })),
    onlyNames: orNull(list(typed, 'onlyNames')),
    onlyTypes: orNull([...list(typed, 'onlyTypes'), ...list(typed, 'onlyNumbers')]) as 'TXT'[] | null,
    networks: orNull(list(typed, 'networks')),
    expiresAt: toMoment(textField(typed, 'expiresAt')),
    zoneWrites: parseNumber(textField(typed, 'zoneWrites')),
    recordWrites: parseNumber(textField(typed, 'recordWrites')),
  };
}

/** The same for a new key, which may get a TSIG key. */
export function readNewKey(typed: Typed, idOf: (zoneName: string) => string | null): z.input<typeof keyBody> {
  const algorithm = textField(typed, 'tsig');
  return { ...readKeyTerms(typed, idOf), tsig: algorithm === '' ? null : { algorithm: algorithm as TsigKeyAlgorithm } };
}

/** The form for an existing key or trust. */
export function typedOfKey(key: Omit<KeyView, 'mintedBy' | 'tsig'>, zones: readonly OfferedZone[]): Typed {
  return {
    name: key.name,
    records: key.records,
    manageZones: key.manageZones,
    ...(key.clusters === 'write' ? { clusters: 'on' } : {}),
    signals: key.signals.join('\n'),
    grantZone: key.grants.map(({ zoneId }) => zones.find(({ id }) => id === zoneId)?.zoneName ?? zoneId),
    grantLevel: key.grants.map(({ records }) => records),
    onlyNames: (key.onlyNames ?? []).join('\n'),
    onlyTypes: (key.onlyTypes ?? []).filter(isNamedType),
    onlyNumbers: (key.onlyTypes ?? []).filter((type) => !isNamedType(type)).join(', '),
    networks: (key.networks ?? []).join('\n'),
    expiresAt: key.expiresAt?.slice(0, 16) ?? '',
    zoneWrites: String(key.zoneWrites ?? ''),
    recordWrites: String(key.recordWrites ?? ''),
  };
}

/** The initial form for a new key. `certificates` presets the permissions that an ACME client needs. */
export function typedOfNewKey(use: string | undefined): Typed {
  if (use !== 'certificates') return { records: 'none', manageZones: 'none' };
  const only = { onlyNames: '_acme-challenge\n_acme-challenge.*', onlyTypes: ['TXT'] };
  return { name: 'certificates', records: 'write', manageZones: 'none', ...only };
}

/** The overrides as rows of the form, followed by empty rows. */
export function grantRows(typed: Typed): { zone: string; level: string }[] {
  return [...listGrantRows(typed), ...Array.from({ length: FREE_ROWS }, () => ({ zone: '', level: 'none' }))];
}

function listGrantRows(typed: Typed): { zone: string; level: string }[] {
  const [zones, levels] = [[typed.grantZone ?? []].flat(), [typed.grantLevel ?? []].flat()];
  return zones
    .map((zone, at) => ({ zone: zone.trim().toLowerCase(), level: levels[at] ?? 'none' }))
    .filter(({ zone }) => zone !== '');
}

function orNull(texts: string[]): string[] | null {
  return texts.length === 0 ? null : texts;
}

/** A `datetime-local` field sends neither seconds nor a time zone. The form says that the time is UTC. */
function toMoment(typed: string): string | null {
  if (typed === '') return null;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(typed) ? `${typed}:00Z` : typed;
}

function parseNumber(typed: string): number | null {
  return typed === '' ? null : Number(typed);
}
