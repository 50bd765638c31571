// The answer to the test of a token, for people and programs.
import { type Output, show } from '../output.ts';

interface Explanation {
  readonly issuer: string | null;
  readonly subject: string | null;
  /** The id of the trust that accepts the token. */
  readonly trust: string | null;
  readonly verdicts: readonly {
    readonly trust: string;
    readonly name: string;
    readonly accepts: boolean;
    readonly reason: string;
    readonly onlyNames?: readonly string[] | null | undefined;
  }[];
}

/** @returns the exit code: 1 if no trust accepts the token */
export async function showExplanation(output: Output, found: Explanation): Promise<number> {
  const { print } = output;
  await show(output, found, () => {
    print(`issuer: ${found.issuer ?? 'none'}`);
    print(`subject: ${found.subject ?? 'none'}`);
    const verdict = found.verdicts.find(({ trust }) => trust === found.trust);
    print(found.trust === null ? 'no trust accepts this token' : `trust: ${found.trust} (${verdict?.name ?? ''})`);
    if (verdict?.onlyNames != null) print(`names: ${verdict.onlyNames.join(', ')}`);
    for (const { trust, name, accepts, reason } of found.verdicts) {
      print(`${accepts ? '✓' : '✗'} ${trust} ${name}: ${reason}`);
    }
  });
  return found.trust === null ? 1 : 0;
}
