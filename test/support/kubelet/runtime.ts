// containerd for the test node, with images from archives: it uses no registry.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Part } from '../../../deploy/local/parts/part.ts';
import { waitFor } from '../../../deploy/local/parts/wait.ts';
import type { NodePrograms } from './programs.ts';
import type { Space } from './space.ts';

export const PAUSE_IMAGE = 'localhost/pause:1';
const READY_LIMIT_MS = 240_000;

export interface Runtime {
  part: Part;
  /** The socket of the container runtime interface. */
  socket: string;
  /** Takes in an archive under the names it carries. */
  importImage(file: string): Promise<void>;
  /** Lets it pull from a registry whose certificate this authority signed. @param host with its port */
  trustRegistry(host: string, authorityFile: string): Promise<void>;
}

/** Starts containerd and waits until it answers, at most 60 s. */
export async function startRuntime(
  space: Space,
  { programs, home, signal }: { programs: NodePrograms; home: string; signal: AbortSignal },
): Promise<Runtime> {
  const folder = join(home, 'containerd');
  const network = join(home, 'cni');
  await mkdir(folder, { recursive: true });
  await mkdir(network, { recursive: true });
  const socket = join(folder, 'containerd.sock');
  await writeFile(join(folder, 'config.toml'), configToml(folder, network, socket));
  await writeFile(join(network, '10-bridge.conflist'), JSON.stringify(networkConfig(space.networks, home), null, 2));
  const part = space.start('containerd', programs.tools.containerd as string, ['-c', join(folder, 'config.toml')], {
    logFile: join(home, 'containerd.log'),
  });
  const ctr = (args: readonly string[]) =>
    space.run(programs.tools.ctr as string, ['-a', socket, '-n', 'k8s.io', ...args]);
  const answers = () => ctr(['version']).then(() => true);
  await waitFor(answers, { what: 'containerd', timeoutMs: READY_LIMIT_MS, intervalMs: 50, part, signal });
  return {
    part,
    socket,
    importImage: async (file) => {
      await ctr(['images', 'import', file]);
    },
    trustRegistry: async (host, authorityFile) => {
      const registry = join(folder, 'registries', host);
      await mkdir(registry, { recursive: true });
      // containerd reads it at each pull (docs/hosts.md of containerd).
      await writeFile(join(registry, 'hosts.toml'), `[host."https://${host}"]\nca = "${authorityFile}"\n`);
    },
  };
}

/** In Debian's containerd (1.6) AppArmor and the OOM score of a child are left alone: the host may allow neither. */
function configToml(folder: string, network: string, socket: string): string {
  return `version = 2
root = "${folder}/root"
state = "${folder}/state"
oom_score = 0
[grpc]
address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${PAUSE_IMAGE}"
restrict_oom_score_adj = true
disable_apparmor = true
[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "${folder}/registries"
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "overlayfs"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "${network}"
`;
}

function networkConfig(networks: Space['networks'], home: string) {
  return {
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipMasq: true,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          dataDir: join(home, 'ipam'),
          ranges: networks.map(({ podRange }) => [{ subnet: podRange }]),
          routes: networks.map(({ family }) => ({ dst: family === 4 ? '0.0.0.0/0' : '::/0' })),
        },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
}
