// `zonestead admin encrypt-keys`: encrypts the private keys of zones in the database with the first key of
// ZONESTEAD_ENCRYPTION_KEYS, or counts them.
import { dropUnprintable } from '#base/printable.ts';
import type { StoredKeys } from '#service/encryption/stored-keys.ts';
import { DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';
import { type Administration, describeAdminCommand, outputOf } from './command.ts';

interface EncryptOptions extends OutputOption, DryRunOption {
  fromNodes?: boolean;
}

export const encryptKeys = describeAdminCommand({
  name: 'encrypt-keys',
  encrypts: true,
  describe: 'encrypt the private keys of zones in the database, or encrypt them again with another key',
  options: [
    {
      flags: '--from-nodes',
      describe:
        'take private keys that cannot be read, because the key that encrypts them was lost, from the name servers',
    },
    DRY_RUN_OPTION,
    OUTPUT_OPTION,
  ],
  notes:
    'It encrypts every private key that is in clear or encrypted with another key, those of deleted zones too. It reads and writes 500 at a time while the service works, and can be ended and repeated. Zones keep their keys, so name servers notice nothing. It exits with 1 if a key cannot be read.',
  examples: ['zonestead admin encrypt-keys --dry-run', 'zonestead admin encrypt-keys'],
  run: (administration, _args, options: EncryptOptions) => encryptAll(administration, options),
});

async function encryptAll(administration: Administration, options: EncryptOptions): Promise<number> {
  const { url, keyring, print, signal } = administration;
  const { dryRun = false, fromNodes = false } = options;
  const { adminEncryptKeys, adminReadStoredKeys } = await import('#service/encryption/encrypt.ts');
  const name = keyring.currentName;
  if (dryRun) {
    const before = await adminReadStoredKeys(url, keyring);
    await show(outputOf(administration, options), { key: name, ...before }, () => printStored(before, name, print));
    return before.missing > 0 ? 1 : 0;
  }
  const taken = fromNodes ? await takeFromNodes(administration) : null;
  const { before, encrypted, problems } = await adminEncryptKeys(url, keyring, signal);
  await show(outputOf(administration, options), { key: name, ...taken, ...before, encrypted, problems }, () => {
    if (taken !== null) print(`${taken.recovered} private keys came from the name servers`);
    for (const zone of taken?.lost ?? []) print(dropUnprintable(`${zone}: no name server has the private key`));
    printStored(before, name, print);
    for (const problem of problems) print(`a private key cannot be read: ${problem}`);
    print(`${encrypted} private keys are newly encrypted with the key "${name}"`);
  });
  return problems.length > 0 ? 1 : 0;
}

async function takeFromNodes({ url, keyring, signal }: Administration) {
  const { adminTakeKeysFromNodes } = await import('#service/encryption/from-nodes.ts');
  return adminTakeKeysFromNodes(url, keyring, signal);
}

function printStored(
  { current, former, clear, missing, missingNames }: StoredKeys,
  name: string | null,
  print: Administration['print'],
): void {
  if (name !== null) print(`${current} private keys are encrypted with the key "${name}"`);
  if (former > 0) print(`${former} are encrypted with another key of ZONESTEAD_ENCRYPTION_KEYS`);
  print(`${clear} are in clear`);
  const names = missingNames.map((missingName) => `"${missingName}"`).join(', ');
  if (missing > 0) print(`${missing} are encrypted with a key that ZONESTEAD_ENCRYPTION_KEYS lacks: ${names}`);
}
