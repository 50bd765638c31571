// Kills a container, like the kernel's out-of-memory killer or a crash: containers of the test node are processes of
// this machine.
import { readdir, readFile } from 'node:fs/promises';
import type { Container } from './release.ts';

/**
 * SIGKILL to the first process of a container, from outside: with it the kernel ends all others inside
 * (pid_namespaces(7)). Works only on a node that runs on this machine.
 * @throws when it does not run here
 */
export async function killContainer({ id, name }: Container): Promise<void> {
  for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    // It may end while we look.
    const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
    // The cgroup's path ends with the container's id, in version 1 and 2 and with any driver.
    if (id === '' || !(await read('cgroup')).includes(id)) continue;
    if (!/^NSpid:.*\t1$/m.test(await read('status'))) continue;
    process.kill(Number(pid), 'SIGKILL');
    return;
  }
  throw new Error(`no process of container ${name} (${id}) runs on this machine`);
}
