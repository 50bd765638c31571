// The facts that the runs of the reconcilers find for the metrics.

/** A fact for the metrics. `at` is a time of the clock in ms. */
export type Observation =
  | { readonly kind: 'written' | 'propagated'; readonly at: number }
  | { readonly kind: 'drift'; readonly result: 'found' | 'repaired' };

/** Receives the facts that the runs of the reconcilers have found. */
export interface Observer {
  /** @param uid the object of the run */
  observe(kind: string, observation: Observation, uid: string | undefined): void;
}
