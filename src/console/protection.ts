// What keeps a page from being made to do what its person did not ask for: the Content-Security-Policy and its kin, bodies
// that are forms, and a CSRF token in each of them. Knows no page.
import formbody from '@fastify/formbody';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ConsoleParts } from './parts.ts';

/** Nothing from elsewhere, nothing inline. `data:` pictures are the arrows that pico's style sheet holds. */
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

/** Of a form without a file, in bytes: anybody may send one to the sign-in page. */
const FORM_LIMIT = 256 * 1024;

/** The bodies of the console's POSTs; what their fields mean, each page judges with the API's own schemas. */
const FORM = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

export async function protect(app: FastifyInstance, { url }: ConsoleParts): Promise<void> {
  // Pages are no part of the API's description; and without a schema of its own, a POST would be told to have no body.
  app.addHook('onRoute', (route) => {
    const body = route.method === 'POST' ? { body: FORM } : {};
    route.schema = { hide: true, ...body, ...route.schema };
  });
  app.removeAllContentTypeParsers();
  await app.register(formbody, { bodyLimit: FORM_LIMIT });
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: POLICY },
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'same-origin' },
    // Over plain HTTP browsers pass it over, and complain.
    crossOriginOpenerPolicy: !url?.startsWith('http:'),
    // To promise HTTPS is for those who have said that they have it.
    strictTransportSecurity: url?.startsWith('https:') ? { includeSubDomains: false } : false,
  });
  app.addHook('onRequest', async (_request, reply) => {
    // Neither a proxy nor the way back after signing out may show what was for one person.
    reply.header('cache-control', 'no-store');
  });
}
