// Types the commands of the pages for a cluster, word for word and in the order of the pages, in a cluster whose
// release has been uninstalled: it removes the rest, and then follows an installation from its first command to its
// last. The output must be the output that the pages show.
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { publish } from '../../../deploy/release/publish.ts';
import { visit } from '../../support/console/visit.ts';
import { PROJECT } from '../../support/docs/document.ts';
import { notesCommands } from '../../support/docs/notes.ts';
import { follow, type Own } from '../../support/docs/reader.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { openShell, type Shell } from '../../support/docs/shell.ts';
import type { Ids } from '../../support/docs/shown.ts';
import type { TestCluster } from '../../support/kubelet/cluster.ts';
import { startRegistry } from '../../support/release/registry.ts';
import { writesOwnNames } from './own-names.ts';

const NAMESPACE = 'zonestead';
const SECONDS = 400;
const installed = await scenario('installed');
const firstUser = await scenario('first user');
const ownNames = await scenario('own names');
const runbooks = await scenario('runbooks');
const upgraded = await scenario('upgraded');
const fromRegistry = await scenario('from a registry');
const [uninstall, ...cleared] = await scenario('uninstalled');

/** In a cluster where the chart was installed under its usual names and has been uninstalled. */
export function followsTheDocuments(theCluster: () => TestCluster): void {
  describe('the pages for a cluster, word for word', () => {
    let shell: Shell;
    let folder = '';
    const ids: Ids = new Map();
    const own: Record<string, string> = { NS: NAMESPACE, RELEASE: 'zonestead' };
    const type = async (command: string) => {
      const { code, output } = await shell.type(command, SECONDS);
      if (code !== 0) throw new Error(`${command}\n${output}`);
      return output;
    };
    /**
     * `kubectl port-forward` runs until it is ended, on a port that may be in use: into the background, on a free one.
     */
    const forwarded = async (text: string): Promise<string> => {
      const { port = 0 } = await allocatePorts([{ name: 'port' }], { stateDir: folder });
      const url = `http://localhost:${port}`;
      await type(`${text.replace('8080:', `${port}:`)} > ${folder}/forward-${port}.log 2>&1 &`);
      await type(`curl -s --retry 40 --retry-delay 1 --retry-all-errors -o ${folder}/page ${url}/console/`);
      return url;
    };
    const followed = (step: (typeof installed)[number]) =>
      follow(step, { shell, ids, own: own as Own, seconds: SECONDS });

    beforeAll(async () => {
      const { kubectl, helm } = inject('nodeGround');
      folder = await mkdtemp(join(tmpdir(), 'zonestead-docs-'));
      const kubeconfig = join(folder, 'kubeconfig');
      await copyFile(theCluster().kubeconfig, kubeconfig);
      const PATH = [dirname(kubectl), dirname(helm), process.env.PATH].join(':');
      shell = openShell({ cwd: PROJECT, env: { PATH, HOME: folder, KUBECONFIG: kubeconfig, LANG: 'C.UTF-8' } });
    });
    afterAll(async () => {
      await shell?.type(`kubectl delete namespace ${NAMESPACE} --ignore-not-found --wait=false`);
      await shell?.close();
      if (folder !== '') await rm(folder, { recursive: true, force: true });
    });

    test('the leftovers of an uninstalled release are deleted', async () => {
      for (const step of cleared) await followed(step);
    });

    test.each(installed.filter(({ text }) => /^(helm|kubectl label)/.test(text)))(
      'the command of the installation works: $text',
      async (step) => {
        await followed(step);
      },
    );

    test('the commands that helm prints at its end work', async () => {
      const commands = notesCommands(await type(`helm get notes zonestead --namespace ${NAMESPACE}`));
      expect(commands.map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual([
        'kubectl apply',
        'kubectl wait',
        'kubectl exec',
        'kubectl port-forward',
        'curl -H',
        'helm test',
      ]);
      const [apply = '', wait = '', addUser = '', forward = '', ask = '', check] = commands;
      await type(apply);
      expect(await type(wait)).toContain('dnsrecord.zonestead.dev/mine-www condition met');
      expect(installed.map(({ text }) => text.replace('--namespace', '-n'))).toContain(check);
      const [key = ''] = /^yu_\w+$/m.exec(await type(addUser)) ?? [];
      const url = await forwarded(forward);
      await visit({ url }).signIn(key);
      expect(await type(ask.replace('http://localhost:8080', url).replace('yu_...', key))).toContain('you@example.org');
    });

    test.each(installed.filter(({ text }) => !/^(helm|kubectl label)/.test(text)))(
      'the command after the installation works: $text',
      async (step) => {
        if (step.text.startsWith('psql')) await type(`export DATABASE_URL='${await databaseUrl()}'`);
        await followed(step);
      },
    );

    test.each(firstUser)('the command for the first user works: $text', async (step) => {
      if (step.text.startsWith('kubectl port-forward')) {
        own['localhost:8080'] = new URL(await forwarded(step.text)).host;
        return;
      }
      const output = await followed(step);
      const key = /^yu_\w+$/m.exec(output)?.[0];
      if (key !== undefined) own['yu_…'] = key;
      if (step.text.startsWith('curl')) expect(output).toContain('ada@example.org');
    });

    test.each(ownNames)('the command for names of a namespace works: $text', async (step) => {
      await followed(step);
    });

    writesOwnNames(theCluster);

    test.each(runbooks)('the command of a runbook works: $text', async (step) => {
      const pods = await type(`kubectl -n ${NAMESPACE} get pods -l app.kubernetes.io/component=nameserver -o name`);
      own.POD = /pod\/(\S+)/.exec(pods)?.[1] ?? '';
      await followed(step);
    });

    test.each(upgraded)('the command of an upgrade works: $text', async (step) => {
      // A rollback needs a rollout before it.
      const [, kind, undone] = /rollout undo (\w+)\/RELEASE-(\w+)/.exec(step.text) ?? [];
      if (undone) await type(`kubectl -n ${NAMESPACE} rollout restart ${kind}/zonestead-${undone}`);
      await followed(step);
    });

    test('all zones are served after the upgrade', async () => {
      await type(`kubectl -n ${NAMESPACE} wait --for=condition=Available --timeout=300s deployment --all`);
      await type(`kubectl -n ${NAMESPACE} rollout status --timeout=300s statefulset/zonestead-nameserver`);
      await type(`kubectl -n ${NAMESPACE} wait --for=condition=Ready --timeout=300s dnszone/mine dnsrecord/mine-www`);
    });

    test('the release is taken out, and then nothing is left', async () => {
      if (uninstall === undefined) throw new Error('no command that uninstalls');
      await followed(uninstall);
      for (const step of cleared) await followed(step);
      const left = `kubectl get secret,pvc,deployment,statefulset -n ${NAMESPACE} -l app.kubernetes.io/instance=zonestead -o name`;
      expect(await type(left)).toBe('');
      expect(await type('kubectl get crd -o name')).not.toContain('zonestead.dev');
    });

    test('an installation from a registry runs the published images', async ({ skip }) => {
      const { node } = theCluster();
      const { cluster: ground } = inject('nodeGround');
      if (node === undefined || !('release' in ground)) return skip('it needs a node that trusts the registry');
      const home = join(folder, 'registry');
      await mkdir(home);
      const registry = await startRegistry({ folder: home, address: node.hostAddresses[0] });
      try {
        const { certificateFile } = registry.authority;
        const address = `${registry.host}/zonestead`;
        const options = { registry: address, caFile: certificateFile, authFile: registry.authFile };
        const { signal } = new AbortController();
        await publish(
          options,
          async () => ground.release,
          join(folder, 'release'),
          () => {},
          signal,
        );
        await node.trustRegistry(registry.host, certificateFile);
        await type(`export SSL_CERT_FILE=${certificateFile}`);
        own['registry.example.net'] = registry.host;
        for (const step of fromRegistry) await followed(step);
        // Pods of the release before may still be ending, so their owners are read; `helm install --wait` waited for
        // these.
        const owners = `deployment,statefulset -l app.kubernetes.io/instance=zonestead`;
        const images = `kubectl -n ${NAMESPACE} get ${owners} -o jsonpath='{.items[*].spec.template.spec.containers[*].image}'`;
        for (const image of (await type(images)).split(' ')) expect(image).toMatch(`${address}/`);
      } finally {
        await registry.stop();
      }
    });

    /** As the api has it, with the Service's address: the host does not resolve names of the cluster. */
    async function databaseUrl(): Promise<string> {
      const secret = `kubectl -n ${NAMESPACE} get secret zonestead-database -o jsonpath='{.data.uri}' | base64 -d`;
      const url = new URL(await type(secret));
      url.hostname = await type(
        `kubectl -n ${NAMESPACE} get service zonestead-postgres -o jsonpath='{.spec.clusterIP}'`,
      );
      return url.href;
    }
  });
}
