// The unprivileged account for parts that refuse to run as root, and folders that this account can reach.
import { mkdir, readFile } from 'node:fs/promises';
import { runCommand } from './commands.ts';

export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** The first one that exists is used. Other daemons run as `nobody` too, so `postgres` protects the data better. */
const CANDIDATES = ['postgres', 'nobody'];

/**
 * The account of a part: undefined (this user) unless this user is root. @throws when root and neither `postgres` nor
 * `nobody` exists
 */
export async function unprivilegedAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const passwd = await readFile('/etc/passwd', 'utf8');
  for (const name of CANDIDATES) {
    const account = findAccount(passwd, name);
    if (account !== undefined) return account;
  }
  throw new Error(`no unprivileged account found (${CANDIDATES.join(' or ')}); start as an ordinary user instead`);
}

/** The account's line in the text of a passwd(5) file. Root's ids are never taken. */
export function findAccount(passwd: string, name: string): Account | undefined {
  for (const line of passwd.split('\n')) {
    const [user, , uidText, gidText] = line.split(':');
    const [uid, gid] = [Number(uidText), Number(gidText)];
    if (user === name && uid > 0 && gid > 0) return { name, uid, gid };
  }
  return undefined;
}

/**
 * True when the account can enter and read the folder. Tried by a process of that account: mode bits alone do not tell
 * (a parent folder of mode 0700, an access control list, a mount option).
 */
export async function canReach(folder: string, account: Account | undefined, signal: AbortSignal): Promise<boolean> {
  if (account === undefined) return true;
  const { code } = await runCommand({
    command: '/usr/bin/test',
    args: ['-x', folder, '-a', '-r', folder],
    cwd: '/',
    uid: account.uid,
    gid: account.gid,
    timeoutMs: 30_000,
    signal,
  });
  return code === 0;
}

/** The first of `folders` (made when missing) that the account can reach; undefined when it can reach none. */
export async function firstReachable(
  folders: readonly string[],
  account: Account | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const folder of folders) {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    if (await canReach(folder, account, signal)) return folder;
  }
  return undefined;
}
