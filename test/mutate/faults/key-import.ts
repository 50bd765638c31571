// Faults in the import of DNSSEC keys.
import type { Fault } from '../fault.ts';
import { noticedBy } from './fault.ts';

const onUnit = noticedBy('key-import', 'test/unit/dns/imported-key.test.ts');
const onService = noticedBy('key-import', 'test/integration/service/key-import/import.test.ts');
const onCommand = noticedBy('key-import', 'test/integration/cli/import-keys.test.ts');

const IMPORTED = 'src/dns/dnssec/imported-key.ts';
const PRIVATE = 'src/dns/dnssec/private-key.ts';

export const KEY_IMPORT_FAULTS: readonly Fault[] = [
  onUnit(
    'halves',
    'a private key that does not fit its DNSKEY is taken',
    IMPORTED,
    'if (isOf(dnskey, key)) return null;',
    'return null;',
  ),
  onUnit(
    'zone',
    'the key of another zone is taken',
    IMPORTED,
    'owner !== null && owner !== zone',
    'owner !== null && owner === ""',
  ),
  onUnit('zsk', 'a zone-signing key is taken', IMPORTED, '(flags & ENTRY_POINT) === 0', '(flags & ENTRY_POINT) > 1'),
  onUnit('revoked', 'a revoked key is taken', IMPORTED, '(flags & REVOKED) !== 0', '(flags & REVOKED) === 1'),
  onUnit('weak', 'a weak RSA key is taken', PRIVATE, 'if (bits < MIN_RSA_BITS)', 'if (bits < 512)'),
  onUnit('exponent', 'an RSA key with a small exponent is taken', PRIVATE, 'e < MIN_EXPONENT ||', 'e < 3n ||'),
  onUnit(
    'numbers',
    'an RSA key with a number of another key is taken',
    PRIVATE,
    'return belongTogether ? null : DAMAGED;',
    'return null;',
  ),
  onUnit('others', 'another key of the zone is overlooked', IMPORTED, '!isOf(dnskey, key)', 'dnskey.flags === 0'),
  onService(
    'shared',
    'two zones get one key',
    'src/service/zones/create.ts',
    "throw refusal('key-of-other-zone');",
    ';',
  ),
  onService(
    'rights',
    'a key without the right learns whether a DNSSEC key is valid',
    'src/service/zones/create.ts',
    '  mustManageZones(caller.actor);\n  const name',
    '  const name',
  ),
  onService(
    'former',
    'the key of a deleted zone takes the place of the imported one',
    'src/service/zones/create.ts',
    'input.newKey === true || importedKey !== null',
    'input.newKey === true',
  ),
  onCommand(
    'signers',
    'a zone that two keys sign is imported with one',
    'src/cli/import/dnssec-keys.ts',
    'if (other !== undefined) {',
    'if (other?.flags === 0) {',
  ),
];
