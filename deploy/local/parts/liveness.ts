// Whether the process that wrote a lock, a claim or a pid file is still alive.
//
// A pid alone is not enough: after a crash the kernel gives the number to another process, and a lock would be held by
// a stranger permanently. On Linux the start time (proc(5), /proc/<pid>/stat field 22) makes the pair unique per boot.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** `pid:startTime` (start time `?` where /proc is missing), to be stored where another process can read it. */
export function processIdentity(pid: number): string {
  return `${pid}:${startTime(pid) ?? '?'}`;
}

/** True while exactly the process that `identity` names is running; a reused pid counts as dead. */
export function isAlive(identity: string): boolean {
  const [pidText = '', started = '?'] = identity.trim().split(':');
  const pid = Number(pidText);
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  const now = startTime(pid);
  if (now !== undefined && started !== '?') return now === started;
  return pidExists(pid);
}

/** True when some process has this pid (signal 0; EPERM means that it belongs to another user). */
export function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Pids whose working folder is `folder`, as far as this user may see them; none where /proc is missing. */
export function processesIn(folder: string): number[] {
  const found: number[] = [];
  for (const entry of listProc()) {
    try {
      if (readlinkSync(`/proc/${entry}/cwd`) === folder) found.push(Number(entry));
    } catch {
      // Gone meanwhile, or another user's.
    }
  }
  return found;
}

function listProc(): string[] {
  try {
    return readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  } catch {
    return [];
  }
}

function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name (field 2) may hold spaces and brackets, so fields are counted after its last bracket.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
