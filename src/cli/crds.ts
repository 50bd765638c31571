// `crds`: prints the CustomResourceDefinitions, or writes them into crds/. It must not know what is in them.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { renderCrds } from '../operator/resources/crd.ts';

const FOLDER = fileURLToPath(new URL('../../crds/', import.meta.url));

/**
 * `crds` prints one YAML stream, ready for `kubectl apply -f -`; `crds --write` makes crds/ hold exactly these files.
 * @throws {Error} on any other argument.
 */
export async function runCrds(args: readonly string[], out: (line: string) => void): Promise<void> {
  const foreign = args.find((arg) => arg !== '--write');
  if (foreign !== undefined) throw new Error(`crds: unknown argument ${foreign}; usage: crds [--write]`);
  const crds = renderCrds();
  if (!args.includes('--write')) {
    out(crds.map(({ text }) => text.trimEnd()).join('\n---\n'));
    return;
  }
  await mkdir(FOLDER, { recursive: true });
  const wanted = new Set(crds.map(({ file }) => file));
  for (const file of await readdir(FOLDER)) {
    if (file.endsWith('.yaml') && !wanted.has(file)) await rm(`${FOLDER}${file}`);
  }
  for (const { file, text } of crds) {
    await writeFile(`${FOLDER}${file}`, text);
    out(`crds/${file}`);
  }
}
