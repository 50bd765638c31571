// Measures how long a neighbour waits while another client keeps the service busy.
/**
 * Sends requests one after the other until the work has settled.
 * @param ask one small request of the neighbour. @throws if it fails
 * @returns the time that each request took, in ms; at least one
 * @throws the error of the work
 */
export async function timesBeside(ask: () => Promise<unknown>, work: Promise<unknown>): Promise<number[]> {
  let isDone = false;
  const settled = work.finally(() => {
    isDone = true;
  });
  // The error is thrown at the end.
  settled.catch(() => undefined);
  const times: number[] = [];
  do {
    const started = performance.now();
    await ask();
    times.push(performance.now() - started);
  } while (!isDone);
  await settled;
  return times;
}
