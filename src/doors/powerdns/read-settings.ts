// The settings of a zone in the PowerDNS API. Most of them are about how PowerDNS stores and signs a zone. Clients
// compare some with the values that they sent, so the service keeps these, and does nothing by them. It refuses a
// setting that asks for something it does not do. Pure.
import { DEFAULT_DENIAL, type Denial } from '#dns/dnssec/denial.ts';
import type { ClientSettings } from '#service/zones/client-settings.ts';
import { type Fields, refused, shown, toLowerText } from './read-fields.ts';

/** Names of kinds in requests, and those of answers: PowerDNS answers Master for both words. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['native', 'Native'],
  ['master', 'Master'],
  ['primary', 'Master'],
]);

/** The kept settings of a zone, in the form of answers. */
export interface ZoneSettings {
  account: string;
  api_rectify: boolean;
  kind: string;
  soa_edit: string;
  soa_edit_api: string;
}

const PRESET: ZoneSettings = {
  account: '',
  api_rectify: true,
  kind: 'Native',
  soa_edit: '',
  soa_edit_api: 'DEFAULT',
};

/** NSEC3 as the service makes it: SHA-1, no opt-out, no extra iterations, no salt. */
export const NSEC3_PARAMETERS = '1 0 0 -';

/** PowerDNS has room for as many characters of an account. */
const MAX_CHARACTERS = 40;

/** The settings of a zone with those that were never set. @param storedSettings undefined: none was set */
export function completeSettings(storedSettings: ClientSettings | undefined): ZoneSettings {
  return { ...PRESET, ...storedSettings };
}

/** The settings that a request sets. @throws Refusal if one asks for something that the service does not do */
export function readSettings(fields: Fields): Partial<ZoneSettings> & ClientSettings {
  mustBePossible(fields);
  const { kind = null, api_rectify: rectify = null } = fields;
  const texts = (['account', 'soa_edit', 'soa_edit_api'] as const).flatMap((key) => {
    const value = fields[key] ?? null;
    return value === null ? [] : [[key, textSetting(key, value)] as const];
  });
  if (rectify !== null && typeof rectify !== 'boolean') {
    throw refused(`The field "api_rectify" must be true or false, and not ${shown(rectify)}.`);
  }
  return {
    ...Object.fromEntries(texts),
    ...(rectify === null ? {} : { api_rectify: rectify }),
    ...(kind === null ? {} : { kind: KINDS.get(toLowerText(kind)) ?? PRESET.kind }),
  };
}

/** How a request wants the zone to deny names; undefined: it does not say. @throws Refusal */
export function readDenial({ nsec3param = null, nsec3narrow = null }: Fields): Denial | undefined {
  if (nsec3narrow === true) {
    throw refused('The field "nsec3narrow" cannot be true: the name servers of the service sign whole zones.');
  }
  if (nsec3param === null) return undefined;
  if (nsec3param === '') return DEFAULT_DENIAL;
  if (nsec3param === NSEC3_PARAMETERS) return 'NSEC3';
  throw refused(
    `The field "nsec3param" must be "${NSEC3_PARAMETERS}", or empty for NSEC, and not ${shown(nsec3param)}: NSEC3 has no salt and no extra iterations here (RFC 9276).`,
  );
}

/** @throws Refusal */
function textSetting(key: string, value: unknown): string {
  if (typeof value === 'string' && value.length <= MAX_CHARACTERS && !/\p{C}/u.test(value)) return value;
  throw refused(
    `The field "${key}" must be a text of at most ${MAX_CHARACTERS} printable characters, and not ${shown(value)}.`,
  );
}

/** @throws Refusal */
function mustBePossible(fields: Fields): void {
  const { kind = 'Native', masters = [], dnssec = true, presigned = false, catalog = '' } = fields;
  if (kind !== null && !KINDS.has(toLowerText(kind))) {
    throw refused(`The kind ${shown(kind)} is not available: use "Native". The service is the primary of its zones.`);
  }
  if (Array.isArray(masters) ? masters.length > 0 : masters !== null) {
    throw refused('A zone cannot have masters: the service is the primary of its zones.');
  }
  if (dnssec === false) throw refused('The field "dnssec" cannot be false: the service signs every zone.');
  if (presigned === true) throw refused('The field "presigned" cannot be true: the service signs every zone itself.');
  if (catalog !== '' && catalog !== null) {
    throw refused('The field "catalog" must be empty: the service makes the catalogs of its secondaries itself.');
  }
}
