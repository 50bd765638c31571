// Makes, once a run, what minutes may be needed for: the programs of the test node and the images. Each test file then
// starts a node of its own (cluster.ts), or uses the cluster that KUBECONFIG names.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildImage } from '../../../src/cli/image/image.ts';
import { IMAGES, type ImageName, projectVersion } from '../../../src/cli/image/images.ts';
import { ensureTools } from '../../../src/cli/up/parts/apt.ts';
import { ensureControlPlane } from '../../../src/cli/up/parts/controlplane-build.ts';
import { ensureHelm } from '../../../src/cli/up/parts/helm-build.ts';
import { ensureNodePrograms, type NodePrograms } from './programs.ts';

export interface NodeGround {
  kubectl: string;
  helm: string;
  /** Its name with tag, as the chart's default values have it. */
  image: string;
  /** Either a cluster that exists already and has the images, or what it takes to start one. */
  cluster: { kubeconfig: string } | { programs: NodePrograms; archives: string[] };
}

declare module 'vitest' {
  export interface ProvidedContext {
    nodeGround: NodeGround;
  }
}

/** @throws with what is missing and how to get it */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const around = {
    progress: (line: string) => process.stdout.write(`${line}\n`),
    signal: new AbortController().signal,
  };
  const found = await ensureTools(
    [
      { command: 'dig', package: 'bind9-dnsutils' },
      { command: 'delv', package: 'bind9-dnsutils' },
      { command: 'pdns_server', package: 'pdns-server' },
      { command: 'pdnsutil', package: 'pdns-server' },
    ],
    around,
  );
  const { dig = '', delv = '', pdns_server: pdnsServer = '', pdnsutil = '' } = found;
  project.provide('tools', { dig, delv, pdnsServer, pdnsutil });
  const { KUBECONFIG: kubeconfig = '' } = process.env;
  const image = `zonestead/zonestead:${projectVersion()}`;
  const helm = await ensureHelm(around);
  if (kubeconfig !== '') {
    const { dir } = await ensureControlPlane(around);
    project.provide('nodeGround', { kubectl: join(dir, 'kubectl'), helm, image, cluster: { kubeconfig } });
    return async () => {};
  }
  const programs = await ensureNodePrograms(around);
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-images-'));
  const archives: string[] = [];
  for (const name of Object.keys(IMAGES) as ImageName[]) archives.push((await buildImage(name, folder, around)).file);
  const kubectl = join(programs.controlPlane, 'kubectl');
  project.provide('nodeGround', { kubectl, helm, image, cluster: { programs, archives } });
  return () => rm(folder, { recursive: true, force: true });
}
