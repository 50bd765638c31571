// The console: pages for people, mounted by the api process below /console. It changes nothing by itself: every page calls
// the operations of zones/ that the REST routes call. It must not know Kubernetes, nor speak HTTP to its own service.
//
// How a page is added:
// 1. Routes: a function `somethingPages(app, parts)` in a file of its own, registered in `pages` below. Everything under it
//    is behind sign-in; `visitorOf(request)` is who asks, `actorOf`/`callerOf` of api/auth.ts work as in the REST routes.
// 2. Template: views/<noun>/<page>.eta; first line `<% layout('/layout', it) %>`. Answer with
//    `return show(request, reply, 'noun/page', { title, … })`, which adds person, teams, flash, CSRF token and addresses.
//    `<%= %>` escapes; `<%~ %>` is for include() only. No inline script or style: the Content-Security-Policy refuses them.
// 3. Links: all addresses begin with /console. Forms: method post, `<%~ include('/partials/csrf', it) %>` first, fields with
//    `include('/partials/field', …)` (its head says which values it takes). Without JavaScript everything works; htmx may add.
// 4. A POST: read with `typedOf(request)`, act inside `attempt(…)`, which shows the page again with the API's own sentence at
//    its field and what was typed; at success `done(request, reply, address, 'What happened.')` (303, message on next page).
//    What REST counts against a limit is counted there too, first: `await parts.counts.record(request, reply)`.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { appPages } from './apps.ts';
import { serveAssets } from './assets.ts';
import { installErrorPages } from './error-pages.ts';
import { livePages } from './live.ts';
import { memberPages } from './members.ts';
import type { ConsoleParts, LookLive } from './parts.ts';
import { protect } from './protection.ts';
import { createProvider } from './provider.ts';
import { providerPages } from './provider-pages.ts';
import { recordPages } from './records.ts';
import { keepSessions, requireVisitor } from './session.ts';
import type { CONSOLE_SETTINGS } from './settings.ts';
import { signInPages } from './sign-in.ts';
import { teamPages } from './team.ts';
import { useViews } from './views.ts';
import { zonePages } from './zone.ts';
import { zoneHistoryPages } from './zone-history.ts';
import { zoneFilePages } from './zonefile.ts';
import { zonesPages } from './zones.ts';

type Settings = Config<(typeof CONSOLE_SETTINGS)[number]>;

/**
 * What buildApp takes as `console`. @throws Error when settings are missing beside others
 * @param live asks name servers. (Default: the live view says that nobody told how.)
 */
export function createConsole(settings: Settings, live: LookLive | null = null) {
  const provider = createProvider(settings);
  return async (app: FastifyInstance, given: Omit<ConsoleParts, 'url' | 'live'>): Promise<void> => {
    const parts: ConsoleParts = { ...given, live, url: settings.ZONESTEAD_CONSOLE_URL ?? null };
    installErrorPages(app);
    await protect(app, parts);
    await keepSessions(app, parts, settings.ZONESTEAD_SESSION_KEY ?? null);
    await useViews(app);
    await serveAssets(app);
    signInPages(app, parts, provider);
    if (provider) providerPages(app, parts, provider);
    await app.register(async (inside) => {
      inside.addHook('onRequest', requireVisitor);
      await pages(inside, parts);
    });
  };
}

async function pages(app: FastifyInstance, parts: ConsoleParts): Promise<void> {
  app.get('/', async (_request, reply) => reply.redirect('/console/zones', 303));
  teamPages(app, parts);
  appPages(app, parts);
  memberPages(app, parts);
  zonesPages(app, parts);
  zonePages(app, parts);
  recordPages(app, parts);
  zoneHistoryPages(app, parts);
  livePages(app, parts);
  // A scope of its own: it takes files.
  await app.register(async (files) => zoneFilePages(files, parts));
}
