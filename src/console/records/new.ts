// The form for a new record: a panel in the list with htmx, and a page without JavaScript. Both have the fields of the
// chosen type and a preview.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { recordBody } from '#contract/record.ts';
import { CHECKED_TYPES, MAX_TIER } from '#dns/members.ts';
import { describeType } from '#dns/types/fields.ts';
import { readCaller, requireActor } from '#http/hooks/auth.ts';
import { readCheckNames } from '#service/checks/names.ts';
import { createRecord } from '#service/records/writer.ts';
import type { ConsoleParts } from '../parts.ts';
import { attemptForm, type FormErrors, judge, readTyped, type Typed, textField } from '../shell/forms.ts';
import { withQuery } from '../shell/shown.ts';
import { NAMED_OR_NUMBER, typedType } from '../shell/types.ts';
import { done, showPage } from '../shell/views.ts';
import { type OfZone, readZoneHead, undoOf } from '../zones/head.ts';
import { previewRecord } from './preview.ts';
import {
  chooseForm,
  inputName,
  listErrorFields,
  nameInputName,
  placeErrors,
  readName,
  readRecordInput,
  withFields,
} from './record-input.ts';

/** The types that most people need, before the others. */
const COMMON = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'CAA', 'NS'] as const;
const TYPES = [...COMMON, ...NAMED_OR_NUMBER.filter((type) => !(COMMON as readonly string[]).includes(type))];

/** The meaning of frequent types. */
const MEANINGS: Readonly<Record<string, string>> = {
  A: 'IPv4 address',
  AAAA: 'IPv6 address',
  CNAME: 'another name',
  MX: 'mail server',
  TXT: 'text',
  SRV: 'host and port of a service',
  CAA: 'permitted authorities for certificates',
  NS: 'name server of a part of the zone',
  ALIAS: 'addresses of another name',
};

interface NewQuery extends OfZone {
  Querystring: { type?: string; name?: string };
}

/** The list as the person saw it, with its search and order, or the whole list. @param home the address of the list */
export function listOf(request: FastifyRequest, home: string): string {
  const current = String(request.headers['hx-current-url'] ?? '');
  const url = URL.parse(current);
  if (url?.pathname !== home) return home;
  url.searchParams.delete('add');
  return `${home}${url.search}`;
}

/** After `Save and add another`: the list with an open form, or the page of the form without scripts. */
function nextAddress(request: FastifyRequest, home: string, typed: Typed): string {
  const list = listOf(request, home);
  if (textField(typed, 'another') === '') return list;
  const type = textField(typed, 'type');
  if (request.headers['hx-request'] !== 'true') return withQuery(`${home}/records/new`, { type });
  const [path = home, query] = list.split('?');
  return withQuery(path, { ...Object.fromEntries(new URLSearchParams(query)), add: type });
}

/** The data that `records/fields` needs. */
export function shownFields(type: string) {
  const form = describeType(chooseForm(type));
  return {
    type,
    fields: form.fields.map((field) => ({ ...field, input: inputName(field.name) })),
    ownerFields: (form.ownerFields ?? []).map((field) => ({ ...field, input: nameInputName(field.name) })),
    form,
    isChecked: CHECKED_TYPES.includes(type),
    tiers: Array.from({ length: MAX_TIER + 1 }, (_, tier) => tier),
  };
}

export function newRecordPages(app: FastifyInstance, { context }: ConsoleParts): void {
  const formPage = async (
    request: FastifyRequest<OfZone>,
    reply: FastifyReply,
    template: 'new-record' | 'new-form' | 'fields' | 'preview',
    { typed, errors = {} }: { typed: Typed; errors?: FormErrors },
  ) => {
    const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
    const type = typedType(typed) || COMMON[0];
    return showPage(request, reply, `records/${template}`, {
      title: `Add a record to ${zone.zoneName}`,
      zone,
      home,
      types: TYPES,
      meanings: MEANINGS,
      ...shownFields(type),
      checks: await readCheckNames(context, requireActor(request), zone.owner),
      values: {},
      typed: withFields(typed, type),
      errors,
      id: '',
      preview: previewRecord(typed, zone),
    });
  };

  app.get<NewQuery>('/zones/:zoneId/records/new', async (request, reply) => {
    const { type = COMMON[0], name = '' } = request.query;
    const template = request.headers['hx-request'] === 'true' ? 'new-form' : 'new-record';
    return formPage(request, reply, template, { typed: name === '' ? { type } : { type, name } });
  });

  // The two forms below change nothing, so they may be sent again and again.
  app.post<OfZone>('/zones/:zoneId/records/fields', { config: { repeatable: true } }, async (request, reply) => {
    const template = request.headers['hx-request'] === 'true' ? 'fields' : 'new-record';
    return formPage(request, reply, template, { typed: readTyped(request) });
  });
  app.post<OfZone>('/zones/:zoneId/records/preview', { config: { repeatable: true } }, async (request, reply) => {
    const template = request.headers['hx-request'] === 'true' ? 'preview' : 'new-record';
    return formPage(request, reply, template, { typed: readTyped(request) });
  });

  app.post<OfZone>('/zones/:zoneId/records', { config: { counts: 'records' } }, async (request, reply) => {
    const typed = readTyped(request);
    const { zone, home } = await readZoneHead(context, request, request.params.zoneId);
    const type = typedType(typed);
    return attemptForm(
      reply,
      listErrorFields(type),
      async () => {
        const body = judge(recordBody, readRecordInput(typed, readName(typed, type), type));
        const view = await createRecord(context, readCaller(request), zone.id, body);
        const text = `The record ${view.name} (${view.type}) was created and is live.`;
        const more = { record: view.id, undo: undoOf(request, zone.id) };
        return done(request, reply, nextAddress(request, home, typed), text, more);
      },
      (errors) => {
        const template = request.headers['hx-request'] === 'true' ? 'new-form' : 'new-record';
        return formPage(request, reply, template, { typed, errors: placeErrors(errors, type || COMMON[0]) });
      },
    );
  });
}
