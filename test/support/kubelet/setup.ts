// Builds, once per run, the parts that may take minutes: the programs of the test node and the images. Each test file
// then starts a node of its own (cluster.ts), or uses the cluster of KUBECONFIG.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { archiveImage, buildImage, writeBill } from '../../../deploy/image/image.ts';
import {
  IMAGES,
  type ImageName,
  type ImagePlan,
  nameserverImage,
  PEBBLE_IMAGE,
  programImage,
  projectVersion,
  zonesteadImage,
} from '../../../deploy/image/images.ts';
import { findParts } from '../../../deploy/image/parts.ts';
import { ensureTools } from '../../../deploy/local/parts/apt.ts';
import { ensureCertManager } from '../../../deploy/local/parts/certmanager-build.ts';
import { ensureControlPlane } from '../../../deploy/local/parts/controlplane-build.ts';
import { ensureHelm } from '../../../deploy/local/parts/helm-build.ts';
import type { SecondaryServer } from '../../../deploy/local/parts/secondary.ts';
import { ensureSecondary } from '../../../deploy/local/parts/secondary-servers.ts';
import { makeCommandLine } from '../../../deploy/release/command-line.ts';
import type { BuiltRelease } from '../../../deploy/release/publish.ts';
import { unpackVersion } from '../program/previous-version.ts';
import { CERT_MANAGER_IMAGE } from './issuance.ts';
import { ensureNodePrograms, type NodePrograms } from './programs.ts';
import { CHART } from './release.ts';

export interface NodeGround {
  kubectl: string;
  helm: string;
  /** Its name with tag, as the chart's default values have it. */
  image: string;
  /** The version from which an upgrade starts: the chart of an earlier version, and the name of its image. */
  before: { chart: string; args: string[] };
  /** Either a cluster that exists already and has the images, or what it takes to start one. */
  cluster: { kubeconfig: string } | OwnCluster;
}

interface OwnCluster {
  programs: NodePrograms;
  archives: string[];
  /** Our images and the chart, to be published in a registry. */
  release: BuiltRelease;
  /** A folder with cert-manager's CRDs. */
  certManagerCrds: string;
  /** A third-party name server on this machine, outside of the cluster. */
  bind: SecondaryServer;
}

declare module 'vitest' {
  export interface ProvidedContext {
    nodeGround: NodeGround;
  }
}

/** @throws with the missing part and how to get it */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const around = {
    progress: (line: string) => process.stdout.write(`${line}\n`),
    signal: new AbortController().signal,
  };
  const found = await ensureTools(
    [
      { command: 'dig', package: 'bind9-dnsutils' },
      { command: 'delv', package: 'bind9-dnsutils' },
      { command: 'ldns-verify-zone', package: 'ldnsutils' },
    ],
    around,
  );
  const { dig = '', delv = '', 'ldns-verify-zone': ldnsVerifyZone = '' } = found;
  project.provide('tools', { dig, delv, ldnsVerifyZone, unbound: '', nsupdate: '', knsupdate: '' });
  const { KUBECONFIG: kubeconfig = '' } = process.env;
  const image = `zonestead/zonestead:${projectVersion()}`;
  const helm = await ensureHelm(around);
  if (kubeconfig !== '') {
    const { dir } = await ensureControlPlane(around);
    // It has this version's image alone: other settings give an upgrade something to do.
    const before = { chart: CHART, args: ['--set=api.databaseConnections=12', '--set=nameserver.compareMinutes=59'] };
    project.provide('nodeGround', { kubectl: join(dir, 'kubectl'), helm, image, before, cluster: { kubeconfig } });
    return async () => {};
  }
  const programs = await ensureNodePrograms(around);
  const bind = await ensureSecondary('bind', around);
  const { dir } = await ensureCertManager(around);
  const folder = await mkdtemp(join(tmpdir(), 'zonestead-images-'));
  const previous = { folder: join(folder, 'previous'), tag: `${projectVersion()}-previous` };
  await unpackVersion('HEAD^', previous.folder, ['src', 'package.json', 'charts', 'crds']);
  const parts = await findParts({ ...around, refresh: false });
  const plans: ImagePlan[] = [
    await zonesteadImage(parts, previous),
    await nameserverImage(parts, previous),
    programImage(CERT_MANAGER_IMAGE, join(dir, 'controllers'), 'cert-manager'),
    programImage(PEBBLE_IMAGE, join(dir, 'pebble')),
  ];
  const archives: string[] = [];
  const commandLine = await makeCommandLine(join(folder, 'cli'), projectVersion(), { nodes: [] }, around.signal);
  const release: BuiltRelease = { images: [], commandLine, chart: CHART };
  for (const name of Object.keys(IMAGES) as ImageName[]) {
    const archive = await buildImage(name, [parts], folder, around);
    archives.push(archive.file);
    const bills = { [parts.architecture]: await writeBill(name, parts, folder) };
    release.images.push({ name, tag: projectVersion(), archive, bills });
  }
  for (const [index, plan] of plans.entries())
    archives.push((await archiveImage([plan], join(folder, `more-${index}.tar`), around)).file);
  project.provide('nodeGround', {
    kubectl: join(programs.controlPlane, 'kubectl'),
    helm,
    image,
    before: {
      chart: join(previous.folder, 'charts/zonestead'),
      args: [`--set=image.tag=${previous.tag}`, `--set=nameserver.image.tag=${previous.tag}`],
    },
    cluster: { programs, archives, release, certManagerCrds: join(dir, 'crds'), bind },
  });
  return () => rm(folder, { recursive: true, force: true });
}
