// Ansible's module community.general.nsupdate, run by ansible-playbook.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TsigKey } from '#dns/message/tsig.ts';
import { runClient } from '../../support/doors/run.ts';
import { secretOf } from '../../support/doors/servers.ts';
import { pythonTool } from '../../support/tools/python.ts';

/** Parameters of the module, and whether it only says what it would do. */
export interface NsupdateTask {
  record: string;
  /** (Default: the module looks for it.) */
  zone?: string;
  type?: string;
  value?: readonly string[];
  ttl?: number;
  state?: 'present' | 'absent';
  check?: boolean;
}

export interface AnsibleOptions {
  /** From ensurePythonTools. */
  environment: string;
  /** From ensureAnsibleModule. */
  collections: string;
  /** Becomes HOME. */
  folder: string;
  port: number;
  key: TsigKey;
}

const MODULE = 'community.general.nsupdate';

/**
 * Runs a play with these tasks, one after the other. @returns `changed` or `ok` for each
 * @throws Error with the output if a task fails
 */
export async function runPlay(
  { environment, collections, folder, port, key }: AnsibleOptions,
  tasks: readonly NsupdateTask[],
): Promise<string[]> {
  const server = {
    ...{ server: '127.0.0.1', port },
    ...{ key_name: key.name, key_secret: secretOf(key), key_algorithm: key.algorithm },
  };
  const play = {
    ...{ hosts: 'localhost', connection: 'local', gather_facts: false },
    vars: { ansible_python_interpreter: join(environment, 'bin/python') },
    tasks: tasks.map(({ check = false, ...task }) => ({
      [MODULE]: { ...server, ...task },
      check_mode: check,
      // A query for a zone or a TTL may have no answer in time on a busy machine; the module has changed nothing then.
      ...{ register: 'result', until: 'result is succeeded', retries: 5, delay: 1 },
    })),
  };
  const file = join(folder, 'play.yaml');
  // JSON is YAML.
  await writeFile(file, JSON.stringify([play]), { mode: 0o600 });
  const env = {
    ANSIBLE_COLLECTIONS_PATH: collections,
    ANSIBLE_HOME: join(folder, 'ansible'),
    ANSIBLE_LOCALHOST_WARNING: 'false',
    ANSIBLE_NOCOLOR: 'true',
    ANSIBLE_PIPELINING: 'true',
    ANSIBLE_STDOUT_CALLBACK: 'oneline',
  };
  const output = await runClient(pythonTool(environment, 'ansible-playbook'), ['-i', 'localhost,', file], {
    cwd: folder,
    env,
  });
  const ends = [...output.matchAll(/^localhost \| (SUCCESS|CHANGED)/gm)].map(([, end]) => end);
  if (ends.length !== tasks.length) throw new Error(`not the ends of ${tasks.length} tasks:\n${output}`);
  return ends.map((end) => (end === 'CHANGED' ? 'changed' : 'ok'));
}
