// A real knotd for one test file.
import { afterAll, inject } from 'vitest';
import { type KnotControl, knotControl } from '#nameserver/knot/control.ts';
import { type Knot, type KnotOptions, startKnot } from '../../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { temporaryFolder } from '../runner/temporary.ts';

export interface TestKnot extends Knot {
  control: KnotControl;
  /** The texts about damaged databases. */
  warnings: string[];
  /**
   * Ends knotd with the signal, and starts it again with the same folder and port, and with other settings if some are
   * given.
   */
  restart(signal: NodeJS.Signals, settings?: KnotOptions['settings']): Promise<void>;
}

/** Starts a knotd that ends after the tests of the file. @param env more variables of its environment */
export async function testKnot(settings?: KnotOptions['settings'], env: KnotOptions['env'] = {}): Promise<TestKnot> {
  const stateDir = await temporaryFolder('knot');
  const { knot: port } = await allocatePorts([{ name: 'knot', dns: true }], { stateDir });
  const { signal } = new AbortController();
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  const start = (more = settings) =>
    startKnot({ programs: inject('knot'), stateDir, port, env, signal, warn, ...(more ? { settings: more } : {}) });
  const knot = await start();
  const control = knotControl({ socket: knot.folder.socket });
  const own: TestKnot = {
    ...knot,
    control,
    warnings,
    restart: async (how, more) => {
      await own.part.stop({ signal: how });
      own.part = (await start(more)).part;
    },
  };
  afterAll(async () => {
    control.close();
    await own.part.stop();
  });
  return own;
}
