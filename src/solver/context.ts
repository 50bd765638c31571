// The dependencies of Present, CleanUp and the sweep. main.ts creates them.

import type { Clock } from '#base/clock.ts';
import type { KubeApi } from '#kube/api/api.ts';
import type { EventRecorder } from '#kube/events/events.ts';
import type { EventReason } from '#resources/reasons.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Caches } from './caches.ts';

export interface SolverContext {
  readonly api: KubeApi;
  readonly caches: Caches;
  readonly clock: Clock;
  readonly now: () => Date;
  readonly events: EventRecorder<EventReason>;
  readonly log: Logger;
}
