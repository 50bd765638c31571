// The order of texts by their code units, which is the same in every locale. Pure.

export function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
