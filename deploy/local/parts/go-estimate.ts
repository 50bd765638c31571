// How long a build from Go modules will take. Packages cost very different amounts of time, so their number says
// little.

/**
 * The cost of a package in addition to its source, in bytes of source: a compiler starts and reads the interfaces of
 * all packages below.
 */
const BYTES_PER_PACKAGE = 35_000;
const BYTES_PER_DEPENDENCY = 140;
/** The share of the linker. */
const LINKER = 0.02;
/** An estimate from less would be of the machine's mood. */
const FIRST_ESTIMATE_SECONDS = 60;
/** From this share of work that was in Go's cache, an estimate is an upper limit. */
const MUCH_CACHED = 0.1;

export interface GoPackage {
  name: string;
  /** The size of its Go files. */
  bytes: number;
  /** Packages that it imports, directly or not. */
  dependencies: number;
  /** Names of the packages that it imports directly. */
  imports: readonly string[];
}

export interface Estimate {
  /** Takes the name of a package that is compiled now. @returns whether the program has such a package */
  compiles(name: string): boolean;
  /** The rest in words, after `seconds` of compiling; undefined in the first minute, and before any package. */
  left(seconds: number): string | undefined;
}

/**
 * The weights were measured with one build of the 2,416 packages of Kubernetes; for this build, the estimate is 0.8 to
 * 1.35 times the processor time that is left, from a tenth of the work on.
 * @param packages all of the program, itself included
 */
export function createEstimate(packages: readonly GoPackage[]): Estimate {
  const all = new Map(packages.map((each) => [each.name, each]));
  const weight = ({ bytes, dependencies }: GoPackage) =>
    bytes + BYTES_PER_PACKAGE + BYTES_PER_DEPENDENCY * dependencies;
  const total = packages.reduce((sum, each) => sum + weight(each), 0);
  const seen = new Set<string>();
  let compiled = 0;
  let cached = 0;
  /** Go compiles the imports of a package before it: an import that was never named is in the cache. */
  const findCached = (names: readonly string[]) => {
    const open = [...names];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const one = all.get(name);
      if (one === undefined || seen.has(name)) continue;
      seen.add(name);
      cached += weight(one);
      open.push(...one.imports);
    }
  };
  return {
    compiles: (name) => {
      const one = all.get(name);
      if (one === undefined) return false;
      seen.add(name);
      compiled += weight(one);
      findCached(one.imports);
      return true;
    },
    left: (seconds) => {
      if (seconds < FIRST_ESTIMATE_SECONDS || compiled === 0) return undefined;
      const rest = Math.max(0, total - compiled - cached) + LINKER * total;
      const words = cached > MUCH_CACHED * (compiled + cached) ? 'at most' : 'about';
      return `${words} ${duration((seconds * rest) / compiled)} left`;
    },
  };
}

/** Exact to a part of ten: more digits would promise too much. */
function duration(seconds: number): string {
  return seconds < 95 ? `${Math.max(1, Math.round(seconds / 10)) * 10} s` : `${Math.round(seconds / 60)} min`;
}
