// The real `nameserver` command as a process of its own, with a real knotd. It is stopped after the tests of the file.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, inject } from 'vitest';
import { startCommand } from '../../../deploy/local/parts/command.ts';
import type { Part } from '../../../deploy/local/parts/part.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { temporaryFolder } from '../runner/temporary.ts';
import type { TestKnot } from './knot.ts';

export interface NodeProcess {
  /** The folder of the state. */
  readonly folder: string;
  start(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** The process id while it runs. */
  pid(): number;
  metric(series: string): Promise<number>;
  /** Everything that it has logged. */
  log(): Promise<string>;
}

/** To be called at the top of a test file. @param more variables of its environment, for example other settings */
export async function nodeProcess(
  url: string,
  key: string,
  name: string,
  knot: TestKnot,
  more: Readonly<Record<string, string>> = {},
): Promise<NodeProcess> {
  const stateDir = await temporaryFolder('node-process');
  const folder = join(stateDir, 'state');
  const { health } = await allocatePorts([{ name: 'health' }], { stateDir });
  const env = {
    ZONESTEAD_FEED_URL: url,
    ZONESTEAD_NODE_KEY: key,
    ZONESTEAD_NODE_NAME: name,
    ZONESTEAD_NODE_STATE: folder,
    ZONESTEAD_KNOT_FOLDER: knot.folder.root,
    ZONESTEAD_KNOT_LISTEN: knot.address,
    ZONESTEAD_KNOT_PORT: String(knot.port),
    ZONESTEAD_KEYMGR: inject('knot').keymgr,
    ...more,
  };
  let part: Part | null = null;
  const stop = async (signal?: NodeJS.Signals) => {
    await part?.stop(signal === undefined ? {} : { signal });
    part = null;
  };
  afterAll(() => stop());
  return {
    folder,
    stop,
    start: async () => {
      const { signal } = new AbortController();
      const options = { env, main: inject('program'), healthPort: health as number, stateDir, signal };
      part = await startCommand({ name: 'nameserver', ...options });
    },
    log: () => readFile(join(stateDir, 'nameserver.log'), 'utf8'),
    pid: () => part?.pid ?? Number.NaN,
    metric: async (series) => {
      const answer = await fetch(`http://127.0.0.1:${health}/metrics`);
      const line = (await answer.text()).split('\n').find((each) => each.startsWith(`zonestead_${series} `));
      return Number(line?.split(' ').at(-1));
    },
  };
}
