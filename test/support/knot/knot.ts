// A real knotd for one test file.
import { afterAll, inject } from 'vitest';
import { EVERY_ADDRESS } from '#base/listen-address.ts';
import { type KnotControl, knotControl } from '#nameserver/knot/control.ts';
import { runningVersion } from '#nameserver/knot/version.ts';
import { type Knot, type KnotOptions, type KnotPrograms, startKnot } from '../../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { temporaryFolder } from '../runner/temporary.ts';

export interface TestKnot extends Knot {
  control: KnotControl;
  /** For instance `3.4.6`. */
  version: string | null;
  /** By which secondaries know it. */
  primary: { address: string; port: number };
  /** The texts about damaged databases. */
  warnings: string[];
  /**
   * Ends knotd with the signal, and starts it again with the same folder and port, and with other settings if some are
   * given.
   */
  restart(signal: NodeJS.Signals, settings?: KnotOptions['settings']): Promise<void>;
}

/**
 * Starts a knotd that ends after the tests of the file.
 * @param env more variables of its environment
 * @param place.programs (Default: those of the run.)
 * @param place.own an address of the loopback interface by which secondaries know it, for one of several primaries: a
 * Knot 3.4 that gets a NOTIFY asks no other primary with the address of the sender than the last. The knotd listens at
 * every address then, and tests ask it at 127.0.0.1, as they ask any
 */
export async function testKnot(
  settings?: KnotOptions['settings'],
  env: KnotOptions['env'] = {},
  { own, programs = inject('knot') }: { own?: string; programs?: KnotPrograms } = {},
): Promise<TestKnot> {
  const stateDir = await temporaryFolder('knot');
  const { knot: port } = await allocatePorts([{ name: 'knot', dns: true }], { stateDir });
  const { signal } = new AbortController();
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  const start = (more = settings) =>
    startKnot({
      programs,
      stateDir,
      port,
      env,
      signal,
      warn,
      ...(own === undefined ? {} : { address: EVERY_ADDRESS }),
      ...(more ? { settings: more } : {}),
    });
  const knot = await start();
  const control = knotControl({ socket: knot.folder.socket });
  const testedKnot: TestKnot = {
    ...knot,
    primary: { address: own ?? knot.address, port },
    control,
    version: await runningVersion(control, signal),
    warnings,
    restart: async (how, more) => {
      await testedKnot.part.stop({ signal: how });
      testedKnot.part = (await start(more)).part;
    },
  };
  afterAll(async () => {
    control.close();
    await testedKnot.part.stop();
  });
  return testedKnot;
}
