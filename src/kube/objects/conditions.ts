// Conditions by the Kubernetes API conventions, as pure functions.

type ConditionStatus = 'True' | 'False' | 'Unknown';

export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  /** CamelCase and stable: programs read it. */
  readonly reason: string;
  /** For people. The same situation must give the same bytes, or every run would write a new status. */
  readonly message: string;
  /** The generation of the spec that was judged. */
  readonly observedGeneration?: number | undefined;
  /** RFC 3339 in whole seconds, as metav1.Time is. */
  readonly lastTransitionTime: string;
}

/** A condition to be set; the transition time follows from the previous condition. */
export type ConditionVerdict = Omit<Condition, 'lastTransitionTime'>;

/** metav1.Time: RFC 3339, UTC, whole seconds. */
export function kubeTime(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/**
 * The list with this condition in it. lastTransitionTime is `now` when the status changed or the condition is new;
 * otherwise it stays. Known conditions keep their place, new ones come last.
 */
export function setCondition(conditions: readonly Condition[], verdict: ConditionVerdict, now: Date): Condition[] {
  const old = findCondition(conditions, verdict.type);
  const lastTransitionTime = old?.status === verdict.status ? old.lastTransitionTime : kubeTime(now);
  const next: Condition = { ...verdict, lastTransitionTime };
  if (old === undefined) return [...conditions, next];
  return conditions.map((condition) => (condition.type === verdict.type ? next : condition));
}

/** {@link setCondition} for several, in their order. */
export function setConditions(
  conditions: readonly Condition[],
  verdicts: readonly ConditionVerdict[],
  now: Date,
): readonly Condition[] {
  return verdicts.reduce<readonly Condition[]>((list, verdict) => setCondition(list, verdict, now), conditions);
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition is True; with `generation`, whether it is True for this or a later generation of the spec. */
export function isTrue(conditions: readonly Condition[] | undefined, type: string, generation?: number): boolean {
  const condition = findCondition(conditions, type);
  if (condition?.status !== 'True') return false;
  return generation === undefined || (condition.observedGeneration ?? 0) >= generation;
}

/**
 * Whether both lists have the same conditions with the same content, in any order: `type` is the list's key in the CRD.
 */
export function conditionsEqual(a: readonly Condition[] | undefined, b: readonly Condition[] | undefined): boolean {
  const left = a ?? [];
  const right = b ?? [];
  return left.length === right.length && left.every((one) => isSame(one, findCondition(right, one.type)));
}

function isSame(a: Condition, b: Condition | undefined): boolean {
  return (
    b !== undefined &&
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration &&
    a.lastTransitionTime === b.lastTransitionTime
  );
}
