// Bearer tokens of kube-apiserver, as a cluster's own clients have them. kube-apiserver verifies the signatures of a
// client certificate at each request, which takes 0.3 ms of processor time, and looks a token up.
import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';

export interface TokenUser {
  readonly name: string;
  readonly groups: readonly string[];
}

const BYTES = 32;

/**
 * The token of each user, in the order given. The file has the format of `--token-auth-file`, which kube-apiserver
 * reads once at its start, and mode 600. A user who has a token in it keeps the token, so that kubeconfig files stay
 * valid over a restart.
 * @throws errors of the file system
 */
export async function ensureTokens(file: string, users: readonly TokenUser[]): Promise<string[]> {
  const before = tokensIn(await readFile(file, 'utf8').catch(absent));
  const tokens = users.map(({ name }) => before.get(name) ?? randomBytes(BYTES).toString('hex'));
  const lines = users.map(({ name, groups }, at) => `${tokens[at]},${name},${name},"${groups.join(',')}"\n`);
  await writeFile(`${file}.new`, lines.join(''), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return tokens;
}

/** By user name. */
function tokensIn(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split('\n')
      .map((line) => line.split(','))
      .map(([token = '', name = '']) => [name, token]),
  );
}

function absent(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}
