// The checks from cert-manager to the solver: the APIService, its certificate authority, the right to use it, and the
// Issuers that name it. chain.ts reads the objects. Pure.
import { X509Certificate } from 'node:crypto';
import type { KubeObject } from '#kube/objects/resource.ts';
import { SOLVER_GROUP, SOLVER_NAME, SOLVER_VERSION } from '#solver/names.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { titleOf } from './objects.ts';

export const API_SERVICE_NAME = `${SOLVER_VERSION}.${SOLVER_GROUP}`;
const APISERVICE = `APIService ${API_SERVICE_NAME}`;
const SOON_MS = 14 * 24 * 60 * 60_000;

export interface ApiService extends KubeObject {
  readonly spec: {
    readonly caBundle?: string;
    readonly insecureSkipTLSVerify?: boolean;
    readonly service?: { readonly name: string; readonly namespace: string; readonly port?: number };
  };
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string; reason?: string; message?: string }[];
  };
}

export interface Issuer extends KubeObject {
  readonly spec?: {
    readonly acme?: {
      readonly solvers?: readonly {
        readonly waitInsteadOfSelfCheck?: string;
        readonly dns01?: { readonly webhook?: { readonly groupName: string; readonly solverName: string } };
      }[];
    };
  };
  readonly status?: { readonly conditions?: readonly { type: string; status: string; message?: string }[] };
}

export function judgeApiService(service: ApiService | undefined): Finding {
  if (service === undefined) {
    return fail('solver', `${APISERVICE} is missing`, 'kubectl apply -f deploy/solver/apiservice.yaml');
  }
  const available = service.status?.conditions?.find(({ type }) => type === 'Available');
  if (available?.status === 'True') return ok('solver', `${APISERVICE} is available`);
  const { reason = 'Unknown', message = 'kube-apiserver has not checked it yet' } = available ?? {};
  return fail(
    'solver',
    `${APISERVICE} is not available: ${reason}: ${message}`,
    describeRepair(service, reason, message),
  );
}

function describeRepair({ spec }: ApiService, reason: string, message: string): string {
  const { name = '?', namespace = '?', port = 443 } = spec.service ?? {};
  const exit = `Until then, no namespace can be deleted. If you need that, run kubectl delete apiservice ${API_SERVICE_NAME}.`;
  if (message.includes('x509') || message.includes('certificate')) {
    return `caBundle and the serving certificate do not match: the certificate must be for ${name}.${namespace}.svc and signed by an authority in caBundle; with cert-manager's cainjector, check its annotation cert-manager.io/inject-ca-from. ${exit}`;
  }
  if (reason === 'ServiceNotFound')
    return `Service ${namespace}/${name} is missing: kubectl apply -f deploy/solver/apiservice.yaml. ${exit}`;
  if (reason === 'MissingEndpoints')
    return `No solver pod is ready: kubectl -n ${namespace} get pods, and read its log. ${exit}`;
  return `Is the solver running, and can the control plane reach it on port ${port} of Service ${namespace}/${name} (firewalls, network policies)? ${exit}`;
}

export function judgeCaBundle(service: ApiService, now: Date): Finding {
  const { caBundle, insecureSkipTLSVerify } = service.spec;
  const annotationHint = `let cert-manager's cainjector write it (annotation cert-manager.io/inject-ca-from: <namespace>/<Certificate>), or set spec.caBundle to the base64 of the authority's PEM`;
  if (insecureSkipTLSVerify) {
    return warn(
      'solver',
      `${APISERVICE} skips TLS verification, so an attacker on the network can read and answer challenges`,
      annotationHint,
    );
  }
  if (!caBundle)
    return fail('solver', `${APISERVICE} has no caBundle, so kube-apiserver does not trust the solver`, annotationHint);
  try {
    const pems = Buffer.from(caBundle, 'base64')
      .toString('utf8')
      .match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----/g);
    const ends = (pems ?? []).map((pem) => new X509Certificate(pem).validToDate);
    const last = ends.sort((a, b) => b.getTime() - a.getTime())[0];
    if (last === undefined) return fail('solver', `caBundle of ${APISERVICE} contains no certificate`, annotationHint);
    const until = last.toISOString().slice(0, 10);
    if (last <= now) return fail('solver', `caBundle of ${APISERVICE} expired on ${until}`, annotationHint);
    if (last.getTime() - now.getTime() < SOON_MS)
      return warn('solver', `caBundle of ${APISERVICE} expires on ${until}`, annotationHint);
    return ok('solver', `caBundle is valid until ${until}`);
  } catch {
    return fail('solver', `caBundle of ${APISERVICE} cannot be read`, annotationHint);
  }
}

export function judgeAccess(account: string, allowed: boolean): Finding {
  if (allowed) return ok('solver', `${account} can create ${SOLVER_NAME}.${SOLVER_GROUP}`);
  const [, , namespace, name] = account.split(':');
  const subject = namespace && name ? `--serviceaccount=${namespace}:${name}` : `--user=${account}`;
  return fail(
    'solver',
    `${account} cannot create ${SOLVER_NAME}.${SOLVER_GROUP}, so every challenge is forbidden`,
    `kubectl create clusterrolebinding zonestead-solver-user-2 --clusterrole=zonestead-solver-user ${subject} (or name cert-manager's account with --account)`,
  );
}

/**
 * Judges the answer of the solver to the removal of a value that does not exist. Such a request uses every step and
 * changes nothing.
 */
export function judgeAnswer(answer: { success: boolean; message?: string } | { error: string }): Finding {
  if ('error' in answer) {
    return fail(
      'solver',
      `The solver does not answer: ${answer.error}`,
      'Read the log of the solver, and the results of the checks above',
    );
  }
  if (answer.success) return ok('solver', 'The solver answers a CleanUp through kube-apiserver');
  return fail(
    'solver',
    `The solver answers with an error: ${answer.message ?? 'without a message'}`,
    'Read the log of the solver, and check its rights (deploy/solver/rbac.yaml)',
  );
}

export function judgeIssuers(issuers: readonly Issuer[]): Finding[] {
  const ours = issuers.filter((issuer) => solversOf(issuer).length > 0);
  if (ours.length === 0) {
    return [warn('issuer', 'No Issuer or ClusterIssuer uses the solver', 'See deploy/examples/clusterissuer.yaml')];
  }
  return ours.flatMap((issuer) => {
    const title = titleOf(issuer);
    const ready = issuer.status?.conditions?.find(({ type }) => type === 'Ready');
    const wrong = solversOf(issuer).find(({ solverName }) => solverName !== SOLVER_NAME);
    if (wrong) {
      return [
        fail(
          'issuer',
          `${title} names the solver ${wrong.solverName}, which does not exist`,
          `Set solverName: ${SOLVER_NAME}`,
        ),
      ];
    }
    if (ready?.status !== 'True') {
      return [
        fail(
          'issuer',
          `${title} is not Ready: ${ready?.message ?? 'cert-manager has not checked it yet'}`,
          `kubectl describe ${issuer.kind.toLowerCase()} ${issuer.metadata.name}`,
        ),
      ];
    }
    return [ok('issuer', `${title} uses the solver and is Ready`)];
  });
}

function solversOf(issuer: Issuer) {
  const webhooks = (issuer.spec?.acme?.solvers ?? []).flatMap(({ dns01 }) => dns01?.webhook ?? []);
  return webhooks.filter(({ groupName }) => groupName === SOLVER_GROUP);
}
