// The sentences of the log about a heartbeat that failed.
import { ApiError } from '#client/errors.ts';

/** The sentence for the log: the cause, the action, and the consequence. */
export function remedy(error: unknown): string {
  const loss = 'without heartbeats for 60 seconds, this cluster counts as lost';
  if (!(error instanceof ApiError))
    return `the DNS service does not answer the heartbeat, and the operator retries; ${loss}`;
  switch (error.status) {
    case 401:
      return `the DNS service refuses the API key of the heartbeat; replace the key; ${loss}`;
    case 403:
      return 'the API key may not send heartbeats, so this cluster cannot be drained or counted as lost in the team of the key; give the key the right "clusters": "write"';
    case 409:
      if (error.field === 'instance')
        return 'another Kubernetes cluster or another API key has the name of this cluster, so the operator changes nothing; set operator.cluster to another name, or, if the API key was replaced, let an owner of the team run "zonestead clusters release NAME"';
      return `the DNS service accepts no further cluster; remove one that is gone with "zonestead clusters remove NAME"; ${loss}`;
    default:
      return `the DNS service refuses the heartbeat, and the operator retries; ${loss}`;
  }
}
