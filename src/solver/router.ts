// Routes a request to its answer: the paths, the users that may call them, and a `response` in every 2xx to a POST.
//
//   /healthz /livez /readyz         everyone
//   discovery and OpenAPI           every user that the front proxy names: this is public knowledge
//   POST …/zonestead                users with the right to create it (SubjectAccessReview)
import type { Logger } from '#telemetry/log.ts';
import type { MayCreate } from './access.ts';
import { API_GROUP, API_RESOURCES, discoverGroups } from './discovery.ts';
import type { Identity, User } from './front-proxy.ts';
import { SOLVER_GROUP, SOLVER_NAME, SOLVER_PATH } from './names.ts';
import { OPENAPI_V2, OPENAPI_V3_GROUP, OPENAPI_V3_PATH, OPENAPI_V3_ROOT } from './openapi.ts';
import { type ChallengeRequest, parsePayload, payloadAnswer, type SolverOutcome } from './payload.ts';
import { failure, type HttpAnswer, json, plain } from './status.ts';

interface SolverRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Called only if the path needs it. */
  identity(): Identity;
  /** Undefined if it is too large. */
  body(): Promise<string | undefined>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

interface RouterOptions {
  /** True if the server has a certificate and can authenticate callers. */
  readonly ready: () => boolean;
  readonly mayCreate: MayCreate;
  readonly solve: (request: ChallengeRequest, signal: AbortSignal) => Promise<SolverOutcome>;
  readonly log: Logger;
}

export type Router = (request: SolverRequest) => Promise<HttpAnswer>;

const DOCUMENTS: Readonly<Record<string, unknown>> = {
  [`/apis/${SOLVER_GROUP}`]: API_GROUP,
  [SOLVER_PATH]: API_RESOURCES,
  '/openapi/v2': OPENAPI_V2,
  '/openapi/v3': OPENAPI_V3_ROOT,
  [OPENAPI_V3_PATH]: OPENAPI_V3_GROUP,
};
const HEALTH: readonly string[] = ['/healthz', '/livez', '/readyz'];
const POST_PATH = `${SOLVER_PATH}/${SOLVER_NAME}`;

/** Never rejects. */
export function createRouter(options: RouterOptions): Router {
  return async (request) => {
    try {
      return await route(options, request);
    } catch (error) {
      // The cause may contain text that changes from one call to the next; cert-manager resyncs at once when a text
      // changes.
      if (!request.signal.aborted) options.log.error({ err: error, path: request.path }, 'a request failed');
      return failure(500, 'The solver failed; see its log');
    }
  };
}

async function route(options: RouterOptions, request: SolverRequest): Promise<HttpAnswer> {
  const { method } = request;
  const path = request.path.length > 1 ? request.path.replace(/\/$/, '') : request.path;
  const reads = method === 'GET' || method === 'HEAD';
  if (HEALTH.includes(path) && reads) {
    return path === '/readyz' && !options.ready() ? plain(503, 'not ready') : plain(200, 'ok');
  }
  const identity = request.identity();
  if ('refused' in identity) {
    options.log.warn({ path, refused: identity.refused }, 'not authenticated');
    return failure(401, `Unauthorized: ${identity.refused}`);
  }
  if (path === POST_PATH) return solvePost(options, request, identity.user);
  const document = DOCUMENTS[path];
  if (document === undefined && path !== '/apis') return failure(404, 'This path does not exist');
  if (!reads) return failure(405, 'Only GET is supported at this path', { allow: 'GET, HEAD' });
  return path === '/apis' ? discoverGroups(request.accept, request.ifNoneMatch) : json(200, document);
}

async function solvePost(options: RouterOptions, request: SolverRequest, user: User): Promise<HttpAnswer> {
  if (request.method !== 'POST') return failure(405, 'Only POST is supported at this path', { allow: 'POST' });
  // A body without a type is JSON, as for every API server (k8s.io/apiserver NegotiateInputSerializer): kubectl sends
  // none.
  if (!['', 'application/json'].includes(mediaType(request.contentType)))
    return failure(415, 'The body must be application/json');
  if (!acceptsJson(request.accept)) return failure(406, 'Only application/json is available');
  if (request.query.has('dryRun'))
    return failure(400, 'dryRun is not supported: a challenge cannot be tried without its DNS record');
  if (!(await isAllowed(options, request, user))) {
    return failure(403, `User ${user.username} may not create ${SOLVER_NAME}.${SOLVER_GROUP}`);
  }
  const text = await request.body();
  if (text === undefined) return failure(413, 'The body is too large');
  const parsed = parsePayload(text);
  if (!parsed.ok) return failure(400, parsed.message);
  return json(201, payloadAnswer(parsed.request.uid, await solveSafely(options, parsed.request, request.signal)));
}

/** @throws when the API server does not answer: the request then fails, and is neither allowed nor refused */
function isAllowed(options: RouterOptions, request: SolverRequest, user: User): Promise<boolean> {
  return options.mayCreate(user, request.signal);
}

async function solveSafely(
  options: RouterOptions,
  request: ChallengeRequest,
  signal: AbortSignal,
): Promise<SolverOutcome> {
  try {
    return await options.solve(request, signal);
  } catch (error) {
    const { action, dnsName, resolvedFQDN } = request;
    if (!signal.aborted) options.log.error({ err: error, action, dnsName, resolvedFQDN }, 'a challenge failed');
    return { success: false, message: `${action} failed inside the solver; see its log` };
  }
}

function mediaType(header: string | undefined): string {
  return (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** A request without the header accepts everything (RFC 9110 section 12.5.1). */
function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  return accept.split(',').some((part) => ['application/json', 'application/*', '*/*'].includes(mediaType(part)));
}
