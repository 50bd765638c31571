import { describe, expect, it } from 'vitest';
import { kindSteps, missingForKind } from '../../../src/cli/kind.ts';

const having =
  (...names: string[]) =>
  (name: string) =>
    names.includes(name) ? `/usr/bin/${name}` : undefined;

describe('npm run kind', () => {
  it('says in one line that there is no container engine', () => {
    const line = missingForKind(undefined, having('kind', 'kubectl', 'helm'));
    expect(line).toMatch(/^no container engine \(docker, podman, nerdctl\)/);
    expect(line).not.toContain('\n');
  });

  it('names what is missing beside an engine', () => {
    expect(missingForKind('podman', having('kubectl'))).toBe('missing: kind, helm');
    expect(missingForKind('docker', having('kind', 'kubectl', 'helm'))).toBeUndefined();
  });

  it('loads every image before the chart is installed', () => {
    const steps = kindSteps(['a.tar', 'b.tar'], 'cert-manager.yaml').map((step) => step.join(' '));
    expect(steps[0]).toMatch(/^kind create cluster --config .*deploy\/kind\/cluster\.yaml/);
    expect(steps.slice(1, 3)).toEqual([
      'kind load image-archive a.tar --name zonestead',
      'kind load image-archive b.tar --name zonestead',
    ]);
    // Names of the chart's zones are known to its own name server only.
    const address = /dns\.service\.clusterIP=(\S+)/.exec(steps.at(-1) as string)?.[1];
    expect(steps.find((step) => step.includes('patch deployment cert-manager'))).toContain(
      `--dns01-recursive-nameservers=${address}:53`,
    );
    expect(steps.at(-1)).toMatch(/^helm upgrade --install --kube-context kind-zonestead .*charts\/zonestead --wait/);
  });
});
