// The real kube-linter, built once from Go modules into the cache, and what it finds in folders of manifests. It must not know
// where these come from.
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached, cacheKey, type Progress } from '../../src/cli/up/parts/cache.ts';
import { runCommand } from '../../src/cli/up/parts/commands.ts';
import { buildGo, sourceInputs } from '../../src/cli/up/parts/go-build.ts';

const SOURCE = fileURLToPath(new URL('../../deploy/local/kubelinter', import.meta.url));
const CHECKS = fileURLToPath(new URL('kube-linter.yaml', import.meta.url));
// Its own domain for Go modules does not answer everywhere: go.mod takes the same version from where it is kept.
const PACKAGE = 'golang.stackrox.io/kube-linter/cmd/kube-linter';
const FLAGS = ['-trimpath', '-ldflags', '-s -w'];
const LINT_MS = 60_000;

export interface Finding {
  /** Folder of the file, relative to what was looked at. */
  folder: string;
  check: string;
  kind: string;
  name: string;
  message: string;
}

interface Report {
  Check: string;
  Diagnostic: { Message: string };
  Object: {
    Metadata: { FilePath: string };
    /** Its names are empty for what is no object at all. */
    K8sObject: { Name: string; GroupVersionKind: { Kind: string } };
  };
}

/**
 * The path of `kube-linter`. The first build takes minutes; `progress` gets a line at least every few seconds.
 * @throws when Go is missing, or with the last lines of Go: also when its proxy does not answer
 */
export async function ensureKubeLinter(around: { progress: Progress; signal: AbortSignal }): Promise<string> {
  const inputs = sourceInputs(SOURCE, ['go.mod', 'go.sum']);
  const folder = await cached({
    name: 'kube-linter',
    key: cacheKey({ ...inputs, flags: FLAGS.join(' '), platform: `${process.platform}-${process.arch}` }),
    ...around,
    fill: (empty) =>
      buildGo({
        source: SOURCE,
        what: 'kube-linter',
        costs: 'a few minutes',
        otherwise: 'which the tests of the chart need',
        targets: [{ package: PACKAGE, file: join(empty, 'kube-linter'), flags: FLAGS }],
        ...around,
      }),
  });
  return join(folder, 'kube-linter');
}

/**
 * All that the checks of kube-linter.yaml find below `root`. Each folder is a cluster of its own: what its objects refer to is
 * looked for in it.
 * @throws with the linter's words when it cannot work, or finds nothing to look at
 */
export async function lint(root: string, signal: AbortSignal): Promise<Finding[]> {
  const command = await ensureKubeLinter({ progress: (line) => process.stdout.write(`${line}\n`), signal });
  // What cannot be read as an object is a finding as well, else it would be passed over in silence.
  const strict = ['--fail-if-no-objects-found', '--fail-on-invalid-resource'];
  const args = ['lint', root, '--config', CHECKS, '--format', 'json', ...strict];
  const { out, tail } = await runCommand({ command, args, timeoutMs: LINT_MS, signal });
  if (!out.startsWith('{')) throw new Error(`kube-linter: ${tail}`);
  const { Reports } = JSON.parse(out) as { Reports: Report[] | null };
  return (Reports ?? []).map(({ Check, Diagnostic, Object: { Metadata, K8sObject } }) => ({
    folder: relative(root, join(Metadata.FilePath, '..')),
    check: Check,
    kind: K8sObject.GroupVersionKind.Kind,
    name: K8sObject.Name,
    message: Diagnostic.Message,
  }));
}
