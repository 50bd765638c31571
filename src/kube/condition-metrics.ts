// The metrics of the conditions of objects in caches.
//
//   object_conditions{kind,condition,status}   objects by the status of each condition
//   objects_not_ready{kind,reason}             objects that are not Ready, by reason
import type { Metrics } from '#telemetry/metrics.ts';
import type { Cache } from './cache/store.ts';
import { type Condition, findCondition } from './objects/conditions.ts';
import type { KubeObject } from './objects/resource.ts';

interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

interface CountedKind {
  readonly objects: Pick<Cache<Conditioned>, 'list'>;
  /** The types of the conditions that are counted. */
  readonly conditions: readonly string[];
}

const STATUSES = ['True', 'False', 'Unknown'] as const;
/** A reason that a controller of another version wrote, until this one has processed the object. */
const OTHER = 'Other';

/**
 * Registers the metrics. Call it once per registry.
 * @param reasons the reasons why an object is not Ready; any other one counts as `Other`, so that no label has free
 * text
 */
export function countConditions(
  metrics: Metrics,
  kinds: Readonly<Record<string, CountedKind>>,
  reasons: readonly string[],
): void {
  const knownReasons: ReadonlySet<string> = new Set(reasons);
  const listConditions = ({ objects }: CountedKind) => objects.list().map(({ status }) => status?.conditions ?? []);
  metrics.gauge({
    name: 'object_conditions',
    help: 'Objects, by the status of each of their conditions.',
    labels: ['kind', 'condition', 'status'],
    collect: (gauge) => {
      for (const [kind, countedKind] of Object.entries(kinds)) {
        const all = listConditions(countedKind);
        for (const condition of countedKind.conditions) {
          const statuses = all.map((conditions) => findCondition(conditions, condition)?.status ?? 'Unknown');
          for (const status of STATUSES)
            gauge.set({ kind, condition, status }, statuses.filter((each) => each === status).length);
        }
      }
    },
  });
  metrics.gauge({
    name: 'objects_not_ready',
    help: 'Objects that are not Ready, by reason. Other is a reason that this version does not know.',
    labels: ['kind', 'reason'],
    collect: (gauge) => {
      for (const [kind, countedKind] of Object.entries(kinds)) {
        const counts = new Map<string, number>([...reasons, OTHER].map((reason) => [reason, 0]));
        for (const conditions of listConditions(countedKind)) {
          const ready = findCondition(conditions, 'Ready');
          if (ready?.status === 'True') continue;
          const givenReason = ready?.reason ?? 'Pending';
          const reason = knownReasons.has(givenReason) ? givenReason : OTHER;
          counts.set(reason, (counts.get(reason) ?? 0) + 1);
        }
        for (const [reason, count] of counts) gauge.set({ kind, reason }, count);
      }
    },
  });
}
