// Points at which operators wait before a write, so that two of them work on the same state of the world, also on a
// busy machine.

export interface Meeting {
  /** For the operator's `before`: its first write of this name waits here. */
  at(write: string): (name: string) => Promise<void>;
  /** The operators that wait. */
  count(): number;
  /** Lets all go, also those that come later. */
  open(): void;
}

export function startMeeting(): Meeting {
  const open = Promise.withResolvers<void>();
  let count = 0;
  return {
    at: (write) => {
      let isFirst = true;
      return async (name) => {
        if (name !== write || !isFirst) return;
        isFirst = false;
        count += 1;
        await open.promise;
      };
    },
    count: () => count,
    open: open.resolve,
  };
}
