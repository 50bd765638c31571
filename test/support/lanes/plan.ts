// Decides from the arguments of `npm test` and the changed files which tests run. Pure.
import type { Changes } from './changed.ts';
import { findLane, GATE, LANE_NAMES, type LaneName, lanesStartedBy, readLanes } from './lanes.ts';

export interface RunPlan {
  readonly gate: boolean;
  readonly lanes: readonly LaneName[];
  /** Arguments for Vitest. */
  readonly args: readonly string[];
  /** A text to print first; empty when the caller named files. */
  readonly message: string;
  /** Only prints the text. */
  readonly isDry: boolean;
}

/** How `npm test` is called: `--lanes a,b`, `--lanes all`, `--rest`, `--dry-run`, and arguments of Vitest. */
export interface Call {
  readonly args: readonly string[];
  /** The test files of the project, below `test/`. */
  readonly files: readonly string[];
  readonly changes: Changes | null;
}

/** @throws with a sentence about an argument that is wrong */
export function planRun(call: Call): RunPlan {
  const args = call.args.filter((arg) => arg !== '--dry-run');
  return { ...chooseTests({ ...call, args }), isDry: args.length < call.args.length };
}

function chooseTests({ args, files, changes }: Call): Omit<RunPlan, 'isDry'> {
  const at = args.indexOf('--lanes');
  if (at >= 0) {
    const list = args[at + 1];
    if (list === undefined) throw new Error(`--lanes needs a list such as \`operator,docs\`, or \`all\``);
    const lanes = readLanes(list);
    const given = { lanes, args: args.toSpliced(at, 2) };
    return { ...given, gate: true, message: `${formatLanes(lanes)}\n` };
  }
  const rest = args.includes('--rest');
  const others = args.filter((arg) => arg !== '--rest');
  const wanted = others.filter((arg) => /^[\w./-]*test\//.test(arg));
  if (others.length > 0 && !rest) {
    const chosen = wanted.length === 0 ? files : files.filter((file) => wanted.some((arg) => isNamed(file, arg)));
    const lanes = new Set(chosen.map(findLane).filter((lane) => lane !== GATE));
    return { gate: true, lanes: LANE_NAMES.filter((lane) => lanes.has(lane)), args: others, message: '' };
  }
  const started = changes === null ? null : lanesStartedBy(changes.files);
  const lanes = started === null ? LANE_NAMES : [...started.keys()];
  const left = LANE_NAMES.filter((lane) => !lanes.includes(lane));
  if (rest)
    return {
      gate: false,
      lanes: left,
      args: others,
      message: `the lanes that \`npm test\` omits: ${left.join(', ') || 'none'}\n`,
    };
  return { gate: true, lanes, args: others, message: describePlan(started, left, changes?.since ?? '') };
}

/** Vitest takes a part of a path. */
const isNamed = (file: string, arg: string) => `test/${file}`.includes(arg.replace(/^.*?(?=test\/)/, ''));

const formatLanes = (lanes: readonly string[]) =>
  [`the ${GATE}`, ...lanes.map((lane) => `the lane ${lane}`)].join(', ');

function describePlan(started: ReadonlyMap<LaneName, string> | null, left: readonly LaneName[], since: string): string {
  if (started === null)
    return `${formatLanes(LANE_NAMES)}: there is no origin/main and no tag that the files could be compared with\n`;
  const causes = [...started].map(([lane, path]) => `the lane ${lane} (${path} changed since ${since})`);
  const rest = left.length === 0 ? '' : `without the lanes ${left.join(', ')}; \`npm run test:full\` runs everything\n`;
  return `${[`the ${GATE}`, ...causes].join(', ')}\n${rest}`;
}
