// The secrets of one local stack: made once, kept in its state folder with mode 600, used again by the next `up`.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { newKeyringKey } from '#base/keyring.ts';

const secret = () => randomBytes(24).toString('hex');
const apiKey = z.object({ team: z.string(), key: z.string() });

const schema = z.object({
  servicePassword: z.string(),
  /** By use: `first` and `second` are two teams for people, `operator` belongs to the first team. */
  keys: z.object({ first: apiKey, second: apiKey, operator: apiKey }).partial(),
  /** Seals the console's cookies. */
  sessionKey: z.string().default(() => secret()),
  /** Encrypts the private keys of zones in the database. A database of before has them in clear. */
  encryptionKeys: z.string().default(() => newKeyringKey()),
  /** The key of all name server nodes of the stack. */
  nodeKey: z.string().optional(),
  /** The key of the one person of the stack. */
  personKey: z.string().optional(),
});

export type Secrets = z.output<typeof schema>;
export type KeyUse = keyof Secrets['keys'];

const fileIn = (stateDir: string) => join(stateDir, 'secrets.json');

export async function readSecrets(stateDir: string): Promise<Secrets> {
  try {
    const parsed = schema.safeParse(JSON.parse(await readFile(fileIn(stateDir), 'utf8')));
    if (parsed.success) return parsed.data;
  } catch {
    // The first run, or a file that a crash truncated: passwords are set and keys created again.
  }
  return { servicePassword: secret(), keys: {}, sessionKey: secret(), encryptionKeys: newKeyringKey() };
}

export async function writeSecrets(stateDir: string, secrets: Secrets): Promise<void> {
  await writeFile(fileIn(stateDir), `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
}
