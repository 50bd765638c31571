// Health checks: the list, one check with its addresses, and their changes. A check belongs to a team or a person, so
// the address of its page has the owner and the name.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CHECK_TYPES } from '#base/check-form.ts';
import { writeExpected, writeNameServers, writeProbe, writeRhythm } from '#contract/check-text.ts';
import { type CheckDefinition, type CheckView, checkBody, checkParams } from '#contract/checks.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { putCheck, readCheck, readChecks, removeCheck } from '#service/checks/checks.ts';
import { readCheckNames } from '#service/checks/names.ts';
import type { ServiceContext } from '#service/context.ts';
import { refusal } from '#service/refusal.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, readTyped, type Typed, textField } from '../shell/forms.ts';
import { readVisitor } from '../shell/session.ts';
import { done, showPage } from '../shell/views.ts';
import { addressOfCheck, type OfCheck } from './address.ts';
import { type Band, bandOf } from './bands.ts';
import { CHECK_FIELDS, NEW_CHECK, readCheckForm, typedOfCheck } from './form.ts';
import { pinPages } from './pins.ts';

/** The changes that the page of a check lists; the bands show the others. */
const LISTED_CHANGES = 20;

interface Again {
  typed?: Typed;
  errors?: FormErrors;
}

export function checkPages(app: FastifyInstance, parts: ConsoleParts): void {
  const { context } = parts;
  app.get('/checks', async (request, reply) => {
    const checks = await readChecks(context, requireActor(request), undefined);
    const rows = checks.map((check) => ({
      ...check,
      ownerName: nameOwner(request, check.owner),
      address: addressOfCheck(check.owner, check.name),
      probe: writeProbe(check.definition),
    }));
    return showPage(request, reply, 'checks/list', { title: 'Checks', checks: rows });
  });

  app.get('/checks/new', async (request, reply) => newPage(request, reply, { typed: NEW_CHECK }));
  app.post('/checks', { config: { counts: 'records' } }, async (request, reply) => {
    const typed = readTyped(request);
    return attemptForm(
      reply,
      CHECK_FIELDS,
      async () => {
        const { name } = judge(checkParams, { name: textField(typed, 'name') });
        const owner = textField(typed, 'owner') || 'personal';
        const names = await readCheckNames(context, requireActor(request), owner);
        if (names.includes(name)) throw refusal('check-exists', { name });
        const { definition } = await write(context, request, { owner, name }, typed);
        const text = `The check ${name} is set. ${describeEffect(definition)}`;
        return done(request, reply, addressOfCheck(owner, name), text);
      },
      (errors) => newPage(request, reply, { typed, errors }),
    );
  });

  const one = '/checks/:owner/:name';
  for (const [path, page] of [
    ['', 'check'],
    ['/edit', 'edit'],
    ['/delete', 'delete'],
  ] as const)
    app.get<OfCheck>(`${one}${path}`, async (request, reply) => onePage(context, request, reply, page));
  app.post<OfCheck>(`${one}/edit`, { config: { counts: 'records' } }, async (request, reply) => {
    const typed = readTyped(request);
    const { owner, name } = request.params;
    return attemptForm(
      reply,
      CHECK_FIELDS,
      async () => {
        await write(context, request, request.params, typed);
        return done(request, reply, addressOfCheck(owner, name), `The check ${name} was changed.`);
      },
      (errors) => onePage(context, request, reply, 'edit', { typed, errors }),
    );
  });
  app.post<OfCheck>(`${one}/delete`, { config: { counts: 'records' } }, async (request, reply) => {
    const { owner, name } = request.params;
    return attemptForm(
      reply,
      [],
      async () => {
        await removeCheck(context, readCaller(request), name, owner);
        return done(request, reply, '/console/checks', `The check ${name} was deleted.`);
      },
      (errors) => onePage(context, request, reply, 'delete', { errors }),
    );
  });
  pinPages(app, parts);
}

function write(
  context: ServiceContext,
  request: FastifyRequest,
  { owner, name }: OfCheck['Params'],
  typed: Typed,
): Promise<{ definition: CheckDefinition }> {
  return putCheck(context, readCaller(request), name, owner, judge(checkBody, readCheckForm(typed)));
}

function newPage(request: FastifyRequest, reply: FastifyReply, again: Again) {
  const owners = readVisitor(request).teams.map(({ teamId, teamName }) => [`org:${teamId}`, teamName]);
  return showPage(request, reply, 'checks/new', {
    title: 'New check',
    owners: [...owners, ['personal', 'Personal (only me)']],
    types: CHECK_TYPES,
    ...again,
  });
}

async function onePage(
  context: ServiceContext,
  request: FastifyRequest<OfCheck>,
  reply: FastifyReply,
  page: 'check' | 'edit' | 'delete',
  { typed, errors = {} }: Again = {},
) {
  const { owner, name } = request.params;
  const check = await readCheck(context, requireActor(request), name, owner);
  const { definition } = check;
  return showPage(request, reply, `checks/${page}`, {
    title: page === 'check' ? `Check ${name}` : `${page === 'edit' ? 'Change' : 'Delete'} the check ${name}`,
    check,
    ...(page === 'check' ? { bandByAddress: listBands(check, context.now()), writeNameServers } : {}),
    changes: check.changes.slice(0, LISTED_CHANGES),
    home: addressOfCheck(owner, name),
    ownerName: nameOwner(request, owner),
    types: CHECK_TYPES,
    probe: writeProbe(definition),
    expected: writeExpected(definition),
    rhythm: writeRhythm(definition),
    errors,
    typed: page === 'edit' ? (typed ?? typedOfCheck(definition)) : {},
  });
}

function listBands({ targets, changes }: CheckView, now: Date): Map<string, Band> {
  return new Map(targets.map((target) => [target.address, bandOf(target, changes, now)]));
}

function describeEffect(definition: CheckDefinition): string {
  if (definition.type === 'signal') return 'Its addresses are unknown until a monitor sends a signal.';
  return `It probes ${writeProbe(definition)} of the records that name it.`;
}

/** The name of the team, or `Personal`. */
function nameOwner(request: FastifyRequest, owner: string): string {
  const team = readVisitor(request).teams.find(({ teamId }) => owner === `org:${teamId}`);
  return team?.teamName ?? 'Personal';
}
