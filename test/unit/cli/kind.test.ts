import { expect, test } from 'vitest';
import { kindSteps, missingForKind } from '../../../deploy/kind/kind.ts';

const having =
  (...names: string[]) =>
  (name: string) =>
    names.includes(name) ? `/usr/bin/${name}` : undefined;

test('npm run kind reports a missing container engine in one line', () => {
  const line = missingForKind(undefined, having('kind', 'kubectl', 'helm'));
  expect(line).toMatch(/^no container engine \(docker, podman, nerdctl\)/);
  expect(line).not.toContain('\n');
});

test('npm run kind names the missing programs if there is an engine', () => {
  expect(missingForKind('podman', having('kubectl'))).toBe('missing: kind, helm');
  const silent = [
    {
      name: 'docker',
      words: 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    },
  ];
  expect(missingForKind(undefined, having('docker', 'kind'), silent)).toBe(
    'docker is installed, but its daemon does not answer: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running. Start it.',
  );
  expect(missingForKind('podman', having('kind', 'kubectl', 'helm'), silent)).toBeUndefined();
  expect(missingForKind('docker', having('kind', 'kubectl', 'helm'))).toBeUndefined();
});

test('npm run kind loads every image before it installs the chart', () => {
  const steps = kindSteps(['a.tar', 'b.tar'], 'cert-manager.yaml').map((step) => step.join(' '));
  expect(steps[0]).toMatch(/^kind create cluster --config .*deploy\/kind\/cluster\.yaml/);
  expect(steps.slice(1, 3)).toEqual([
    'kind load image-archive a.tar --name zonestead',
    'kind load image-archive b.tar --name zonestead',
  ]);
  // Only the name server of the chart knows the names of its zones.
  const address = /dns\.service\.clusterIP=(\S+)/.exec(steps.at(-1) as string)?.[1];
  expect(steps.find((step) => step.includes('patch deployment cert-manager'))).toContain(
    `--dns01-recursive-nameservers=${address}:53`,
  );
  expect(steps.at(-1)).toMatch(/^helm upgrade --install --kube-context kind-zonestead .*charts\/zonestead --wait/);
});
