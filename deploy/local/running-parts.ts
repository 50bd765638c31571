// Runs parts by name, each with a function that starts it: it starts a stack, and restarts a single part.
import type { Part } from './parts/part.ts';

export interface RunningParts<Name extends string> {
  /** Starts the part, or starts it again when it has ended. @throws as its starter does */
  start(name: Name): Promise<Part>;
  /** The part that was started last under this name. @throws when none was */
  part(name: Name): Part;
  parts(): Part[];
  /** Stops all but `last`, then `last`. May be called repeatedly. */
  stop(last: Name): Promise<void>;
}

export function createRunningParts<Name extends string>(
  starters: Readonly<Partial<Record<Name, () => Promise<Part>>>>,
): RunningParts<Name> {
  const running = new Map<Name, Part>();
  return {
    start: async (name) => {
      const starter = starters[name];
      if (!starter) throw new Error(`${name} is not a part of this stack`);
      const part = await starter();
      running.set(name, part);
      return part;
    },
    part: (name) => {
      const part = running.get(name);
      if (!part) throw new Error(`${name} was never started`);
      return part;
    },
    parts: () => [...running.values()],
    stop: async (last) => {
      await Promise.all([...running].map(([name, part]) => (name === last ? undefined : part.stop())));
      await running.get(last)?.stop();
    },
  };
}
