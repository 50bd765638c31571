// Faults in the encryption of private keys.
import { fault } from './fault.ts';

const TESTS = 'test/integration/service/encryption/encryption.test.ts';
const KEYRING = 'src/base/keyring.ts';

export const ENCRYPTION_FAULTS = [
  fault(
    'encryption-owner',
    'an encrypted text opens for any owner',
    [KEYRING, '=> Buffer.from(owner)', '=> Buffer.from(owner.slice(0, 0))'],
    'unit',
    'test/unit/base/keyring.test.ts',
  ),
  fault(
    'encryption-nonce',
    'two texts share a nonce',
    [KEYRING, 'const nonce = randomBytes(NONCE_OCTETS);', 'const nonce = Buffer.alloc(NONCE_OCTETS);'],
    'unit',
    'test/unit/base/keyring.test.ts',
  ),
  fault(
    'encryption-clear',
    'a new private key is in clear in the database',
    ['src/store/zone-keys.ts', 'keyring.seal(key.privateKey, ownerOfKey(key))', 'key.privateKey'],
    'integration',
    TESTS,
  ),
  fault(
    'encryption-deleted',
    'keys of deleted zones keep the old encryption',
    ['src/store/encryption.ts', "['zones', 'deleted zones']", "['zones']"],
    'integration',
    TESTS,
  ),
  fault(
    'encryption-sent',
    'the private keys that nodes send are in clear in the database',
    [
      'src/service/nodes/salvage-parts.ts',
      "if (!('privateKeys' in content)) return content;",
      'if (content) return content;',
    ],
    'integration',
    TESTS,
  ),
  fault(
    'encryption-unproven',
    'a private key from a name server counts for any public key',
    ['src/service/encryption/from-nodes.ts', 'privateKeys.get(key.publicKey)', '[...privateKeys.values()][0]'],
    'integration',
    TESTS,
  ),
  fault(
    'encryption-salvage',
    'a command without the keys of the api writes private keys in clear',
    [
      'src/service/encryption/stored-keys.ts',
      'if (missingNames.length === 0) return;',
      'if (missingNames.length >= 0) return;',
    ],
    'integration',
    TESTS,
  ),
];
