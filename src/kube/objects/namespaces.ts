// The Namespace resource of the core group.
import type { ResourceType } from './resource.ts';

export const NAMESPACE: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
