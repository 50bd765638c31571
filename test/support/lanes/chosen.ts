// The lanes of this run, from TEST_LANES, which `npm test` sets: a list such as `gate,docs`. Absent: everything.
import { GATE, LANE_NAMES, LANES, type LaneName, readLanes } from './lanes.ts';

export interface Chosen {
  readonly gate: boolean;
  readonly lanes: readonly LaneName[];
}

/** @throws for a name that no lane has */
export function chosenLanes(env: NodeJS.ProcessEnv = process.env): Chosen {
  const { TEST_LANES = '' } = env;
  if (TEST_LANES === '') return { gate: true, lanes: LANE_NAMES };
  return { gate: TEST_LANES.split(',').includes(GATE), lanes: readLanes(TEST_LANES) };
}

/** Vitest's patterns of the test files below a folder that run. @param never patterns that do not, in any lane */
export function patternsFor(
  folder: string,
  { gate, lanes }: Chosen,
  never: readonly string[] = [],
): { include: string[]; exclude: string[] } {
  const patterns = (names: readonly LaneName[]) =>
    names
      .flatMap((name) => LANES[name].files.map((file) => `test/${file}${file.endsWith('/') ? '**/*.test.ts' : ''}`))
      .filter((pattern) => pattern.startsWith(folder));
  const exclude = ['**/node_modules/**', ...never];
  if (!gate) return { include: patterns(lanes), exclude };
  const others = LANE_NAMES.filter((name) => !lanes.includes(name));
  return { include: [`${folder}**/*.test.ts`], exclude: [...exclude, ...patterns(others)] };
}
