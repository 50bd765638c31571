// The health of our objects as other tools compute it: kstatus (Flux, `kubectl` appliers, Config Sync) and the health
// checks of Argo CD, written from their public documents.
//
//   kstatus: being deleted → Terminating; status.observedGeneration is not metadata.generation → InProgress; Stalled True →
//   Failed; Reconciling True → InProgress; Ready False or Unknown → InProgress; otherwise Current, also without any status.
//   Argo CD, as the checks that it documents for conditions: no Ready of this generation yet → Progressing; True → Healthy;
//   False → Degraded; Unknown → Progressing.
//   kubectl wait --for=condition=Ready: True, and not of an older generation, if the condition names one.

export interface Watched {
  metadata: { name: string; generation: number; resourceVersion: string; deletionTimestamp?: string };
  spec: Record<string, unknown>;
  status?: {
    observedGeneration?: number;
    conditions?: { type: string; status: string; reason: string; observedGeneration?: number }[];
    [field: string]: unknown;
  };
}

export function findConditionOfType({ status }: Watched, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function kstatus(object: Watched): 'Terminating' | 'InProgress' | 'Failed' | 'Current' {
  const { metadata, status } = object;
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  const observed = status?.observedGeneration;
  if (observed !== undefined && observed !== metadata.generation) return 'InProgress';
  if (findConditionOfType(object, 'Stalled')?.status === 'True') return 'Failed';
  if (findConditionOfType(object, 'Reconciling')?.status === 'True') return 'InProgress';
  const ready = findConditionOfType(object, 'Ready');
  return ready !== undefined && ready.status !== 'True' ? 'InProgress' : 'Current';
}

export function argoHealth(object: Watched): 'Progressing' | 'Healthy' | 'Degraded' {
  const ready = findConditionOfType(object, 'Ready');
  if (object.metadata.deletionTimestamp !== undefined || ready === undefined || isOlder(object)) return 'Progressing';
  if (ready.status === 'True') return 'Healthy';
  return ready.status === 'False' ? 'Degraded' : 'Progressing';
}

export function kubectlWaitIsOver(object: Watched): boolean {
  return findConditionOfType(object, 'Ready')?.status === 'True' && !isOlder(object);
}

function isOlder(object: Watched): boolean {
  const told = findConditionOfType(object, 'Ready')?.observedGeneration ?? object.status?.observedGeneration;
  return told !== undefined && told < object.metadata.generation;
}
