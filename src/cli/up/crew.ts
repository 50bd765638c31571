// Running parts by name, each with the way to start it: what starts a stack, and what starts one part of it again.
import type { Part } from './parts/part.ts';

export interface Crew<Name extends string> {
  /** Starts the part, or starts it again when it has ended. @throws as its starter does */
  start(name: Name): Promise<Part>;
  /** The part as it was started last. @throws when it never was */
  part(name: Name): Part;
  parts(): Part[];
  /** Ends all but `last`, then `last`; repeating it is fine. */
  stop(last: Name): Promise<void>;
}

export function createCrew<Name extends string>(starters: Readonly<Record<Name, () => Promise<Part>>>): Crew<Name> {
  const running = new Map<Name, Part>();
  return {
    start: async (name) => {
      const part = await starters[name]();
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
