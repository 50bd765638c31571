// What Helm rendered, as files for `kubectl apply -k`: nothing in them says Helm, because nothing of Helm manages them. Pure.
import { parseAllDocuments, stringify } from 'yaml';

interface Rendered {
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
}

const HEADER = '# Made by `npm run chart` from charts/zonestead; do not edit.\n';
// YAML 1.1 as kubectl reads it: what would turn into a time or a truth value is quoted.
const YAML = { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false } as const;

/** By name, for a folder: kustomization.yaml, and what it names. */
export function manifestFiles(rendered: string): Record<string, string> {
  // As Helm and kubectl read it: 0440 is octal.
  const objects = parseAllDocuments(rendered, { version: '1.1' })
    .flatMap((document) => (document.toJS() as Rendered | null) ?? [])
    .map(plain);
  const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  const others = objects.filter(({ kind }) => kind !== 'CustomResourceDefinition');
  return {
    'kustomization.yaml': `${HEADER}${stringify(KUSTOMIZATION, YAML)}`,
    'namespace.yaml': `${HEADER}${stringify(NAMESPACE, YAML)}`,
    'crds.yaml': stream(crds),
    'zonestead.yaml': stream(others),
  };
}

const KUSTOMIZATION = {
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
  resources: ['namespace.yaml', 'crds.yaml', 'zonestead.yaml'],
};

const NAMESPACE = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'zonestead', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
};

function plain(object: Rendered): Rendered {
  const { labels, annotations } = object.metadata;
  if (labels) {
    delete labels['helm.sh/chart'];
    labels['app.kubernetes.io/managed-by'] = 'kubectl';
  }
  if (annotations) {
    delete annotations['helm.sh/resource-policy'];
    if (Object.keys(annotations).length === 0) delete object.metadata.annotations;
  }
  return object;
}

function stream(objects: readonly Rendered[]): string {
  return HEADER + objects.map((object) => stringify(object, YAML)).join('---\n');
}
