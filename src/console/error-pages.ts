// What people see when a page cannot be shown: one sentence and a way on, under the status that the API would give.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { retryAfterSeconds, STATUS } from '../api/errors.ts';
import { Refusal } from '../zones/refusal.ts';
import { show } from './views.ts';

const CSRF =
  'This form is out of date, or your browser sent no cookie with it; nothing was changed. Go back, load the page anew and send it again. (The console needs HTTPS, or ZONESTEAD_CONSOLE_URL has to begin with http://.)';

export function installErrorPages(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    const [status, sentence] = judged(error);
    if (error instanceof Refusal && error.retryAfterMs !== null) {
      reply.header('retry-after', retryAfterSeconds(error.retryAfterMs));
    }
    if (status >= 500 && !(error instanceof Refusal)) request.log.error({ err: error }, 'page failed');
    // The session ended while the page was open.
    if (status === STATUS.unauthorized) return reply.redirect('/console/sign-in', 303);
    return errorPage(request, reply, status, sentence);
  });
  app.setNotFoundHandler((request, reply) => errorPage(request, reply, 404, 'There is no such page.'));
}

function judged(error: FastifyError | Refusal): [number, string] {
  if (error instanceof Refusal) return [STATUS[error.code], error.message];
  if (error.code?.startsWith('FST_CSRF_')) return [403, CSRF];
  const { statusCode = 500 } = error;
  if (statusCode < 500) return [statusCode, `The request was not understood: ${error.message}.`];
  return [
    500,
    'Something went wrong in the service. Try again; if it stays, name the number below to whoever runs it.',
  ];
}

function errorPage(request: FastifyRequest, reply: FastifyReply, status: number, sentence: string) {
  return show(request, reply.code(status), 'error', { title: `Error ${status}`, sentence, requestId: request.id });
}
