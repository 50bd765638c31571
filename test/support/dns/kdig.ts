// Questions over TLS (RFC 7858), by kdig, which verifies the certificate of the server.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureTools } from '../../../deploy/local/parts/apt.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';

const { signal } = new AbortController();

/** The words of a question, for instance `www.example.net A`. */
export type AskTls = (authorities: string, question: readonly string[], hostName?: string) => Promise<string>;

/**
 * @returns a function that gives the output of kdig. It verifies with the authorities in PEM, for the host name
 * (`localhost`)
 * @param folder for the authorities
 */
export async function createTlsClient(port: number, folder: string): Promise<AskTls> {
  const { kdig } = await ensureTools([{ command: 'kdig', package: 'knot-dnsutils' }], {
    progress: () => undefined,
    signal,
  });
  return async (authorities, question, hostName = 'localhost') => {
    const file = join(folder, `authorities-${randomBytes(4).toString('hex')}.pem`);
    await writeFile(file, authorities);
    const words = ['@127.0.0.1', '-p', String(port), '+tls', `+tls-ca=${file}`, `+tls-hostname=${hostName}`];
    const args = [...words, '+timeout=5', '+retry=0', ...question];
    return (await runCommand({ command: kdig as string, args, timeoutMs: 30_000, signal })).tail;
  };
}
