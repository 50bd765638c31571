// What Present, CleanUp and the sweep work with, handed in by main.ts.
import type { KubeApi } from '../kube/api.ts';
import type { Clock } from '../kube/clock.ts';
import type { EventRecorder } from '../kube/events.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Caches } from './caches.ts';

export interface House {
  readonly api: KubeApi;
  readonly caches: Caches;
  readonly clock: Clock;
  readonly now: () => Date;
  readonly events: EventRecorder;
  readonly log: Logger;
}
