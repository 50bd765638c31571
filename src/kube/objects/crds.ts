// The resource of CustomResourceDefinitions.
import type { ResourceType } from './resource.ts';

export const CRD: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};
