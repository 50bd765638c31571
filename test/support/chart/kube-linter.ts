// The real kube-linter, built once from Go modules into the cache, and its findings in folders of manifests.
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Progress } from '../../../deploy/local/parts/cache.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { ensureGoProgram } from '../../../deploy/local/parts/go-program.ts';

const SOURCE = fileURLToPath(new URL('../../../deploy/local/kubelinter', import.meta.url));
const CHECKS = fileURLToPath(new URL('kube-linter.yaml', import.meta.url));
const LINT_MS = 200_000;

export interface Finding {
  /** Folder of the file, relative to the checked folder. */
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
    /** Its names are empty for text that is not an object. */
    K8sObject: { Name: string; GroupVersionKind: { Kind: string } };
  };
}

/** The path of `kube-linter`. @throws as ensureGoProgram */
export function ensureKubeLinter({ progress, signal }: { progress: Progress; signal: AbortSignal }): Promise<string> {
  const program = {
    name: 'kube-linter',
    source: SOURCE,
    // Its own domain for Go modules does not answer everywhere: go.mod takes the same version from where it is kept.
    package: 'golang.stackrox.io/kube-linter/cmd/kube-linter',
    what: 'kube-linter',
    costs: 'a few minutes',
    otherwise: 'which the tests of the chart need',
  };
  return ensureGoProgram(program, progress, signal);
}

/**
 * All findings of the checks in kube-linter.yaml below `root`. Each folder is a cluster of its own: references of its
 * objects are looked up in it. @throws with the linter's message when it cannot work, or finds no object
 */
export async function lint(root: string, signal: AbortSignal): Promise<Finding[]> {
  const command = await ensureKubeLinter({ progress: (line) => process.stdout.write(`${line}\n`), signal });
  // Text that cannot be read as an object is a finding as well, otherwise it would be ignored silently.
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
