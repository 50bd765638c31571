// The kinds of workloads that commands read or scale.
import type { ResourceType } from './resource.ts';

export const DEPLOYMENT: ResourceType = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};

export const STATEFUL_SET: ResourceType = { ...DEPLOYMENT, plural: 'statefulsets', kind: 'StatefulSet' };
