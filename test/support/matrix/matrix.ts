// The cells of one file of the fault matrix: all files open, judge and clean them up in the same way, and have the same
// two tests at their end.
import { expect, test } from 'vitest';
import { type Cell, calm, cleanUp, consistent, healed, lateChanges, newCell, putForeign } from './cell.ts';
import type { Chain } from './chain.ts';
import { type Limits, measureHealing } from './healing.ts';
import type { World } from './invariants.ts';

export interface Matrix {
  newCell(): Promise<Cell>;
  consistent(world: World, when?: string): Promise<number>;
  healed(cell: Cell, when: string): Promise<number>;
  cleanUp(cell: Cell): Promise<void>;
  putForeign(cell: Cell): Promise<void>;
  /** Notes how long a cell took to heal. @param kind the row of the table that the file prints */
  add(kind: string, ms: number): void;
  /** Declares the last tests of the file. */
  declareEnd(): void;
}

/** The matrix of a file whose cells share this chain. */
export function openMatrix(chain: Chain, limits: Limits = {}): Matrix {
  const healing = measureHealing(calm, limits);
  return {
    newCell: () => newCell(chain),
    consistent: (world, when) => consistent(chain, world, when),
    healed: (cell, when) => healed(chain, cell, when),
    cleanUp: (cell) => cleanUp(chain, cell),
    putForeign: (cell) => putForeign(chain, cell),
    add: healing.add,
    declareEnd: () => {
      test('nothing came after the end of any cell', async () => {
        expect(await lateChanges(chain)).toEqual([]);
      });

      test('the work ends in seconds after the fault', () => {
        process.stdout.write(healing.table());
        expect(healing.problems()).toEqual([]);
      });
    },
  };
}
