// ChallengePayload: cert-manager's request and the solver's answer. cert-manager sends an empty uid, no apiVersion and
// no kind, so a check of these fields would refuse every real request.
import { exceedsJson } from '#base/json-bounds.ts';
import { challengeName } from './challenge-name.ts';
import { PAYLOAD_GROUP, PAYLOAD_KIND, SOLVER_VERSION } from './names.ts';

export interface ChallengeRequest {
  readonly uid: string;
  readonly action: 'Present' | 'CleanUp';
  /** In the spelling of challengeName. */
  readonly dnsName: string;
  /** The value of the TXT record. */
  readonly key: string;
  /** Namespace of the Issuer, or cert-manager's cluster resource namespace. */
  readonly resourceNamespace: string;
  /** In the spelling of challengeName. */
  readonly resolvedFQDN: string;
  /** False for an Issuer; resourceNamespace is then the tenant's own. */
  readonly allowAmbientCredentials: boolean;
  readonly config: unknown;
}

/** The result of Present and CleanUp. A message is never empty. */
export type SolverOutcome = { readonly success: true } | { readonly success: false; readonly message: string };

export type Parsed =
  | { readonly ok: true; readonly request: ChallengeRequest }
  | { readonly ok: false; readonly message: string };

/** A key is a shorter base64url text in practice; no other characters may get into a zone through the solver. */
const KEY = /^[A-Za-z0-9_+/=.-]{1,255}$/;
const ACTIONS: readonly string[] = ['Present', 'CleanUp'];

/** Reads the body of a POST. Only the fields that the solver needs are checked. */
export function parsePayload(text: string): Parsed {
  const problem = exceedsJson(Buffer.from(text));
  if (problem !== null) return refuse(problem);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('The body is not JSON');
  }
  const request = field(value, 'request');
  if (typeof request !== 'object' || request === null) return refuse('The ChallengePayload has no request');
  const action = readString(request, 'action');
  if (!ACTIONS.includes(action)) return refuse('request.action must be Present or CleanUp');
  const type = readString(request, 'type');
  if (type !== '' && type.toLowerCase() !== 'dns-01') return refuse('request.type must be dns-01');
  const key = readString(request, 'key');
  if (!KEY.test(key)) return refuse('request.key must be a base64url text of 1 to 255 characters');
  const resolvedFQDN = readName(request, 'resolvedFQDN');
  if (resolvedFQDN === '') return refuse('request.resolvedFQDN is missing');
  return {
    ok: true,
    request: {
      uid: readString(request, 'uid'),
      action: action as ChallengeRequest['action'],
      dnsName: readName(request, 'dnsName'),
      key,
      resourceNamespace: readString(request, 'resourceNamespace'),
      resolvedFQDN,
      allowAmbientCredentials: field(request, 'allowAmbientCredentials') === true,
      config: field(request, 'config') ?? {},
    },
  };
}

/**
 * The answer. It always has a `response`: cert-manager crashes on a 2xx without one, and treats a failure with an empty
 * message as success (pkg/issuer/acme/dns/webhook).
 */
export function payloadAnswer(uid: string, outcome: SolverOutcome) {
  const response = outcome.success
    ? { uid, success: true }
    : {
        uid,
        success: false,
        status: { status: 'Failure', message: outcome.message || 'The challenge failed', reason: 'InternalError' },
      };
  return { apiVersion: `${PAYLOAD_GROUP}/${SOLVER_VERSION}`, kind: PAYLOAD_KIND, response };
}

function refuse(message: string): Parsed {
  return { ok: false, message };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function readString(value: object, name: string): string {
  const fieldValue = field(value, name);
  return typeof fieldValue === 'string' ? fieldValue : '';
}

function readName(value: object, name: string): string {
  return challengeName(readString(value, name));
}
