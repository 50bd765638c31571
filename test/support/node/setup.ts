// Makes, once a run, what minutes may be needed for: the programs of the test node and the images. Each test file then
// starts a node of its own (cluster.ts), or uses the cluster that KUBECONFIG names.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type BuiltImage, buildImage } from '../../../src/cli/image/image.ts';
import { IMAGES, type ImageName } from '../../../src/cli/image/images.ts';
import { ensureTools } from '../../../src/cli/up/parts/apt.ts';
import { ensureNodePrograms, type NodePrograms } from './programs.ts';

export interface NodeGround {
  /** A cluster that exists already and has the images. */
  kubeconfig: string | undefined;
  programs: NodePrograms;
  images: Record<ImageName, BuiltImage>;
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
  const programs = await ensureNodePrograms(around);
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
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-images-'));
  const images = {} as Record<ImageName, BuiltImage>;
  for (const name of Object.keys(IMAGES) as ImageName[]) images[name] = await buildImage(name, folder, around);
  const kubeconfig = process.env.KUBECONFIG === '' ? undefined : process.env.KUBECONFIG;
  project.provide('nodeGround', { kubeconfig, programs, images });
  return () => rm(folder, { recursive: true, force: true });
}
