// Finds circles of imports between source files, as the strongly connected components of the graph of imports.
import { dirname, join } from 'node:path';

const IMPORT = /(?:^(?:import|export)\b[^;'"]*?from\s+|^import\s+|\bimport\()'([#.][^']+)'/gm;

/**
 * @param files texts by path, for instance `src/dns/record.ts`
 * @returns the circles, each as a sorted list of files
 */
export function findCircles(files: ReadonlyMap<string, string>): string[][] {
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const visit = (file: string): number => {
    const number = order.size;
    order.set(file, number);
    lowest.set(file, number);
    path.push(file);
    for (const target of importsIn(file, files)) {
      if (!order.has(target)) lowest.set(file, Math.min(lowest.get(file)!, visit(target)));
      else if (path.includes(target)) lowest.set(file, Math.min(lowest.get(file)!, order.get(target)!));
    }
    if (lowest.get(file) === number) {
      const circle = path.splice(path.indexOf(file));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return lowest.get(file)!;
  };
  for (const file of files.keys()) if (!order.has(file)) visit(file);
  return circles;
}

/** The files of the map that a file imports, types included. */
function importsIn(file: string, files: ReadonlyMap<string, string>): string[] {
  const targets: string[] = [];
  for (const [, name = ''] of (files.get(file) ?? '').matchAll(IMPORT)) {
    const target = name.startsWith('#') ? `src/${name.slice(1)}` : join(dirname(file), name);
    if (files.has(target)) targets.push(target);
  }
  return targets;
}
