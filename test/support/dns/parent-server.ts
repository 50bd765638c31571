// A real parent: BIND with zones from files, which also answers as the resolver that has exactly their records.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import type { ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { startSecondary } from '../../../deploy/local/parts/secondary.ts';
import { temporaryFolder } from '../runner/temporary.ts';

const { signal } = new AbortController();

export interface ParentServer {
  at: ProbeEndpoint;
  /** Changes its zones by the lines of nsupdate. */
  update(...lines: string[]): Promise<void>;
  stop(): Promise<unknown>;
}

/**
 * BIND with these zone files, at 127.0.0.1 and ::1, until the end of the test file. Its zones accept all updates.
 * @param files the text of each zone's file
 */
export async function startParent(files: Readonly<Record<string, string>>): Promise<ParentServer> {
  const folder = join(await temporaryFolder('parent'), 'data');
  await mkdir(folder);
  await chmod(folder, 0o777);
  const { dns: port = 0 } = await allocatePorts([{ name: 'dns', dns: true }], { stateDir: folder });
  const sections: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text, { mode: 0o666 });
    sections.push(`zone "${name}" { type primary; file "${folder}/${name}"; allow-update { any; }; };\n`);
  }
  const config = `options {
  directory "${folder}"; pid-file "${folder}/named.pid"; session-keyfile "${folder}/session.key"; lock-file none;
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 port ${port} { ::1; };
  recursion no; dnssec-validation no; notify no;
};
controls { };
${sections.join('')}`;
  const at = { address: '127.0.0.1', port };
  const server = inject('secondaries').bind;
  const part = await startSecondary({ server, config, folder, ...at, signal });
  afterAll(() => part.stop());
  let count = 0;
  return {
    at,
    update: async (...lines) => {
      const file = join(folder, `update-${count++}`);
      await writeFile(file, [`server ${at.address} ${port}`, ...lines, 'send', ''].join('\n'));
      await runCommand({ command: inject('tools').nsupdate, args: [file], timeoutMs: 60_000, signal });
    },
    stop: () => part.stop(),
  };
}
