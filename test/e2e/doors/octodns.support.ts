// octoDNS moves a zone from files to a server and back.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runClient } from '../../support/doors/run.ts';
import { pythonTool } from '../../support/tools/python.ts';

/** A provider of octoDNS as its configuration names it. */
export type Provider = Readonly<Record<string, string | number>>;

export interface OctoDns {
  /** Makes the zone like its file. @returns its last lines */
  sync(): Promise<string>;
  /** Writes the zone of the server to a file, as octoDNS writes it. @returns the text */
  dump(): Promise<string>;
  /** Replaces the file. */
  write(yaml: string): Promise<void>;
}

/** @param zone without the final dot */
export async function octoDns(environment: string, folder: string, zone: string, provider: Provider): Promise<OctoDns> {
  const file = join(folder, 'octodns.yaml');
  await mkdir(join(folder, 'zones'), { recursive: true });
  const config = {
    providers: {
      files: { class: 'octodns.provider.yaml.YamlProvider', directory: join(folder, 'zones'), enforce_order: false },
      server: provider,
    },
    zones: { [`${zone}.`]: { sources: ['files'], targets: ['server'] } },
  };
  // JSON is YAML.
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  const run = (name: string, args: string[]) =>
    runClient(pythonTool(environment, name), [`--config-file=${file}`, ...args], { cwd: folder });
  return {
    sync: () => run('octodns-sync', ['--doit']),
    dump: async () => {
      const out = join(folder, 'dumped');
      await run('octodns-dump', [`--output-dir=${out}`, `${zone}.`, 'server']);
      return readFile(join(out, `${zone}.yaml`), 'utf8');
    },
    write: (yaml) => writeFile(join(folder, 'zones', `${zone}.yaml`), yaml),
  };
}
