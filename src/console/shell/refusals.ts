// The pages for errors: one sentence and a link, with the HTTP status that the API would answer.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { retryAfterSeconds } from '#base/retry-after.ts';
import { STATUS } from '#http/error-codes.ts';
import { toHttpStatus } from '#http/refusals.ts';
import { toOutageRefusal } from '#service/outage.ts';
import { Refusal } from '#service/refusal.ts';
import { showPage } from './views.ts';

const CSRF =
  'This form has expired, or your browser sent no cookie with it; nothing was changed. Go back, reload the page and send the form again. (The console needs HTTPS, unless ZONESTEAD_CONSOLE_URL begins with http://.)';

export function installErrorPages(app: FastifyInstance): void {
  app.setErrorHandler((thrown: FastifyError | Refusal, request, reply) => {
    const outage = toOutageRefusal(thrown);
    request.isOutage = outage !== null;
    const error = outage ?? thrown;
    const [status, sentence] = judged(error);
    if (error instanceof Refusal && error.retryAfterMs !== null) {
      reply.header('retry-after', retryAfterSeconds(error.retryAfterMs));
    }
    if (status >= 500 && !(error instanceof Refusal)) request.log.error({ err: error }, 'page failed');
    // The session ended while the page was open.
    if (status === STATUS.unauthorized) return reply.redirect('/console/sign-in', 303);
    return errorPage(request, reply, status, sentence);
  });
  app.setNotFoundHandler((request, reply) => errorPage(request, reply, 404, 'This page does not exist.'));
}

function judged(error: FastifyError | Refusal): [number, string] {
  if (error instanceof Refusal) return [toHttpStatus(error), error.message];
  if (error.code?.startsWith('FST_CSRF_')) return [403, CSRF];
  const { statusCode = 500 } = error;
  if (statusCode < 500) return [statusCode, `The request is not valid: ${error.message}.`];
  return [
    500,
    'This is an error of the service. Try again. If it persists, give the request id below to an administrator of the service.',
  ];
}

function errorPage(request: FastifyRequest, reply: FastifyReply, status: number, sentence: string) {
  return showPage(request, reply.code(status), 'shell/error', {
    title: `Error ${status}`,
    sentence,
    requestId: request.id,
  });
}
