// A measured figure with its bar: the value that a change must not exceed, on two cores that nothing else uses.
import { figure } from './statistics.ts';
import { print } from './support.ts';

export interface Bar {
  readonly what: string;
  readonly value: number;
  /** The largest value that meets the bar. */
  readonly most: number;
  readonly unit: string;
}

export function barLine({ what, value, most, unit }: Bar): string {
  // A value that was not measured meets nothing.
  const verdict = value <= most ? 'met' : 'MISSED';
  return `  bar ${verdict}: ${what} ${figure(value)} ${unit} (at most ${most})`;
}

export function printBar(bar: Bar): void {
  print(barLine(bar));
}
