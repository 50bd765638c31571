// Prints one measurement of the canary.
import type { OnceReport } from '#canary/once.ts';
import { table } from '../table.ts';

/** @returns the exit code: 1 if something is not right */
export function printOnce({ paths, change, isRight }: OnceReport, print: (line: string) => void): number {
  table(
    ['NAME SERVER', 'ADDRESS', 'TRANSPORT', 'RIGHT', 'PROBLEM'],
    paths.map(({ server, address, transport, asked, right, problem }) => [
      ...[server, address, transport, `${right} of ${asked}`, problem ?? '-'],
    ]),
    print,
  );
  print('');
  print(describeChange(change));
  return isRight ? 0 : 1;
}

function describeChange({ result, seconds, problem }: OnceReport['change']): string {
  const after = problem === null ? '' : ` ${problem}.`;
  if (result === 'failed') return `The service did not make the change.${after}`;
  if (result === 'late') return `Not all addresses answered the change within ${seconds} s.${after}`;
  return `All addresses answered the change ${seconds?.toFixed(2)} s after the service had made it.${after}`;
}
