// The settings of a zone in the PowerDNS API. Most of them are about how PowerDNS stores and signs a zone: the service ignores
// those, and refuses those that ask for something it does not do. Pure.
import { type Fields, refused, shown } from './values.ts';

const KINDS = ['native', 'master', 'primary'];

/** @throws Refusal */
export function mustBePossible(fields: Fields): void {
  const { kind = 'Native', masters = [], dnssec = true, nsec3param = '', presigned = false, catalog = '' } = fields;
  if (kind !== null && !KINDS.includes(String(kind).toLowerCase())) {
    throw refused(`The kind ${shown(kind)} is not available: use "Native". The service is the primary of its zones.`);
  }
  if (Array.isArray(masters) ? masters.length > 0 : masters !== null) {
    throw refused('A zone cannot have masters: the service is the primary of its zones.');
  }
  if (dnssec === false) throw refused('The field "dnssec" cannot be false: the service signs every zone.');
  if (nsec3param !== '' && nsec3param !== null) {
    throw refused('The field "nsec3param" must be empty: the service denies names with NSEC.');
  }
  if (presigned === true) throw refused('The field "presigned" cannot be true: the service signs every zone itself.');
  if (catalog !== '' && catalog !== null) {
    throw refused('The field "catalog" must be empty: the service makes the catalogs of its secondaries itself.');
  }
}
