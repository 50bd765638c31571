// Protects the pages against forged requests: the Content-Security-Policy and related headers, and bodies that can only
// be forms. session.ts checks the CSRF token of each form.
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import type { ConsoleParts } from '../parts.ts';
import { acceptForms, FORM } from './form-body.ts';

/** Allows nothing from other hosts and nothing inline. The `data:` pictures are the arrows in pico's style sheet. */
const POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

export async function protect(app: FastifyInstance, { url }: ConsoleParts): Promise<void> {
  // The pages are not part of the API's description. A POST without a schema of its own would be refused for having a
  // body.
  app.addHook('onRoute', (route) => {
    const body = route.method === 'POST' ? { body: FORM } : {};
    route.schema = { hide: true, ...body, ...route.schema };
  });
  app.removeAllContentTypeParsers();
  acceptForms(app);
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: POLICY },
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'same-origin' },
    // Over plain HTTP, browsers ignore this header and log a complaint.
    crossOriginOpenerPolicy: !url?.startsWith('http:'),
    // HSTS is sent only if the configured console URL is https.
    strictTransportSecurity: url?.startsWith('https:') ? { includeSubDomains: false } : false,
  });
  app.addHook('onRequest', async (_request, reply) => {
    // Proxies and the browser's back button after sign-out must not show pages of one person to another.
    reply.header('cache-control', 'no-store');
  });
}
