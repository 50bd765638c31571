// kubectl as a reader of YAML and JSON, without a cluster: it reads YAML 1.1 as go-yaml does, and as other tools of
// Kubernetes do.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';

const { signal } = new AbortController();

/** A reader for the texts of one test file. @param folder for files */
export async function createLocalKubectl(folder: string): Promise<(text: string) => Promise<unknown[]>> {
  const { dir } = await ensureControlPlane({ progress: () => {}, signal });
  let count = 0;
  /** All objects of a text, in its order. @throws Error with kubectl's words */
  return async (text) => {
    count += 1;
    const path = join(folder, `objects-${count}.yaml`);
    await writeFile(path, text);
    const { code, out, tail } = await runCommand({
      command: join(dir, 'kubectl'),
      // A command that changes objects is the only kind that reads files without a cluster.
      args: ['annotate', '--local', '-f', path, 'read.by=kubectl', '-o', 'json'],
      timeoutMs: 120_000,
      signal,
    });
    if (code !== 0) throw new Error(tail);
    return out
      .split(/\n(?=\{\n)/)
      .map((each) => JSON.parse(each) as { metadata: { annotations?: Record<string, string> } })
      .map(({ metadata, ...object }) => ({ ...object, metadata: withoutMark(metadata) }));
  };
}

function withoutMark({ annotations = {}, ...metadata }: { annotations?: Record<string, string> }) {
  const { 'read.by': _, ...others } = annotations;
  return Object.keys(others).length === 0 ? metadata : { ...metadata, annotations: others };
}
