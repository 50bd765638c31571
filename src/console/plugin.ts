// The console: pages for people, mounted by the api process below /console. Every page calls the operations of
// src/service that the REST routes call, so that both have the same rules.
//
// How to add a page:
// 1. Routes: write a function `somethingPages(app, parts)` in a file of its own and register it in `pages` below. Its
//    pages need a signed-in person: `readVisitor(request)`. `requireActor` and `readCaller` of http/hooks/auth.ts work
//    as in the REST routes.
// 2. Template: put <noun>/<page>.eta next to the code. Its first line is `<% layout('/shell/layout', it) %>`. Answer
//    with `return showPage(request, reply, 'noun/page', { title, … })`, which adds person, teams, flash, CSRF token
//    and addresses. `<%= %>` escapes; `<%~ %>` is for include() only. The Content-Security-Policy refuses inline
//    scripts and styles.
// 3. Links and forms: all addresses begin with /console. A form has method post, `<%~ include('/shell/partials/csrf',
//    it) %>` as its first line, and fields with `include('/shell/partials/field', …)`. All pages must work without
//    JavaScript.
// 4. A POST: read it with `readTyped(request)` and act inside `attemptForm(…)`, which shows a refused form again with
//    the typed values and the API's sentence at its field. The same form takes effect once (shell/once.ts). After
//    success answer `done(request, reply, address, message)`, a redirect with a message. A route that writes declares
//    it, as in REST: `{ config: { counts: 'records' } }`.
import type { FastifyInstance } from 'fastify';
import type { Config } from '#config.ts';
import { appPages } from './apps/apps.ts';
import { checkPages } from './checks/checks.ts';
import { livePages } from './live/live.ts';
import { overviewPages } from './overview/overview.ts';
import type { ConsoleParts, QueryLive } from './parts.ts';
import { personPages } from './person/person.ts';
import { ownerPages } from './records/owners.ts';
import { recordPages } from './records/records.ts';
import { searchPages } from './search/search.ts';
import type { CONSOLE_SETTINGS } from './settings.ts';
import { serveAssets } from './shell/assets.ts';
import { sendOnce } from './shell/once.ts';
import { protect } from './shell/protection.ts';
import { createSignInProvider } from './shell/provider.ts';
import { providerPages } from './shell/provider-pages.ts';
import { installErrorPages } from './shell/refusals.ts';
import { keepSessions, requireVisitor } from './shell/session.ts';
import { signInPages } from './shell/sign-in.ts';
import { useViews } from './shell/views.ts';
import { clusterPages } from './teams/clusters.ts';
import { invitationPages } from './teams/invitations.ts';
import { memberPages } from './teams/members.ts';
import { quotaPages } from './teams/quota.ts';
import { teamPages } from './teams/team.ts';
import { trustPages } from './trusts/trusts.ts';
import { zoneFilePages } from './zonefile/zonefile.ts';
import { danglingPages } from './zones/dangling.ts';
import { deletedZonesPages } from './zones/deleted.ts';
import { zoneHistoryPages } from './zones/history.ts';
import { keyRollForms } from './zones/key-roll.ts';
import { manifestPages } from './zones/manifests.ts';
import { restorePages } from './zones/restore.ts';
import { zoneStatePages } from './zones/state.ts';
import { undoPages } from './zones/undo.ts';
import { zonePages } from './zones/zone.ts';
import { zonesPages } from './zones/zones.ts';

type Settings = Config<(typeof CONSOLE_SETTINGS)[number]>;

/**
 * The `console` option of buildApp.
 * @param live queries name servers. Absent: the live view says that it is not configured.
 * @throws Error if a setting is set without the settings that it requires
 */
export function createConsole(settings: Settings, live: QueryLive | null = null) {
  const provider = createSignInProvider(settings);
  return async (app: FastifyInstance, baseParts: Omit<ConsoleParts, 'url' | 'live'>): Promise<void> => {
    const parts: ConsoleParts = { ...baseParts, live, url: settings.ZONESTEAD_CONSOLE_URL ?? null };
    installErrorPages(app);
    await protect(app, parts);
    await keepSessions(app, parts, settings.ZONESTEAD_SESSION_KEY ?? null);
    sendOnce(app, parts);
    await useViews(app, parts.context);
    serveAssets(app);
    signInPages(app, parts, provider);
    if (provider) providerPages(app, parts, provider);
    await app.register(async (inside) => {
      inside.addHook('onRequest', requireVisitor);
      await pages(inside, parts);
    });
  };
}

async function pages(app: FastifyInstance, parts: ConsoleParts): Promise<void> {
  overviewPages(app, parts);
  searchPages(app, parts);
  personPages(app, parts);
  teamPages(app, parts);
  appPages(app, parts);
  trustPages(app, parts);
  memberPages(app, parts);
  invitationPages(app, parts);
  quotaPages(app, parts);
  clusterPages(app, parts);
  zonesPages(app, parts);
  deletedZonesPages(app, parts);
  zonePages(app, parts);
  zoneStatePages(app, parts);
  keyRollForms(app, parts);
  danglingPages(app, parts);
  manifestPages(app, parts);
  recordPages(app, parts);
  checkPages(app, parts);
  ownerPages(app, parts);
  zoneHistoryPages(app, parts);
  restorePages(app, parts);
  undoPages(app, parts);
  livePages(app, parts);
  // A scope of its own, because it accepts files.
  await app.register(async (files) => zoneFilePages(files, parts));
}
