// A new key on the screen: it is printed once.

interface Minted {
  readonly id: string;
  readonly text: string;
  /** Null without a TSIG key. */
  readonly tsig: { readonly keyFile: string } | null;
}

/**
 * Prints a line with the owner of the key, and the key itself on the next line; then the TSIG key as a file, if it has
 * one.
 */
export function printMinted(
  { id, text, tsig }: Minted,
  team: { name: string; id: string },
  print: (line: string) => void,
): void {
  print(`key ${id} of team ${team.name} (${team.id}), shown only once:`);
  print(text);
  if (tsig === null) return;
  print('');
  print('# its TSIG key for nsupdate and other clients, shown only once');
  print(tsig.keyFile.trimEnd());
}

/** People often paste the whole key instead of its id. */
export function keyIdOf(text: string): string {
  return /^y[kun]_([a-z0-9]+)/.exec(text)?.[1] ?? text;
}
