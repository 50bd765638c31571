// One family of zones at the real service and in the model: each operation is done at both, and the answer of the
// service must be the one that the model expects.
import { strict as assert } from 'node:assert';
import type { Resolver } from '../dns/resolver.ts';
import { NAMESERVERS, type TestService } from '../service/service.ts';
import { computeAnswer, type Expected, isEndless, listChildren, type ModelZone } from './answers.ts';
import { type Content, GOOD, inZone } from './contents.ts';
import { type Edit, NAMES, type Operation, type SentComment, stored, ZONES } from './operations.ts';
import { type Draft, isWrongAlone, judge, type ModelRecord, mayGo, mayStand } from './rules.ts';
import { ask } from './served.ts';

/** A node has a change within milliseconds; a busy machine gets more time. */
const FRESH_MS = 60_000;

type Body = Record<string, unknown>;
interface Planned {
  status: number;
  /** The request, as a batch has it. */
  item: Body;
  apply(records: ModelRecord[], id: string): ModelRecord[];
}

export class World {
  readonly #service: TestService;
  readonly #family: string;
  readonly #zones = new Map<string, ModelZone>();

  constructor(service: TestService, family: string) {
    this.#service = service;
    this.#family = family;
  }

  get zones(): ModelZone[] {
    return [...this.#zones.values()];
  }

  async do(operation: Operation): Promise<void> {
    const name = (ZONES[operation.zone] as string).replace('%', this.#family);
    const zone = this.#zones.get(name);
    switch (operation.do) {
      case 'zone.create':
        return this.#createZone(name);
      case 'look':
        return this.#look(operation.name === '@' ? name : `${operation.name}.${name}`, operation.type);
    }
    if (zone === undefined) return this.#missing(operation);
    switch (operation.do) {
      case 'zone.delete':
        await this.#expect(204, 'DELETE', `/zones/${zone.id}`);
        this.#zones.delete(name);
        return;
      case 'park':
      case 'unpark':
        await this.#expect(200, 'POST', `/zones/${zone.id}/${operation.do}`);
        zone.parked = operation.do === 'park';
        return;
      case 'zone.ttl':
        await this.#expect(200, 'PATCH', `/zones/${zone.id}`, { defaultTtl: operation.ttl });
        zone.defaultTtl = operation.ttl;
        return;
      case 'zone.comment':
        await this.#expect(200, 'PATCH', `/zones/${zone.id}`, { comment: operation.comment });
        zone.comment = after(operation.comment, null);
        return;
      case 'batch':
        return this.#batch(zone, operation);
      case 'import':
        return this.#import(zone, operation);
      case 'create':
      case 'update':
      case 'delete':
        return this.#edit(zone, operation);
    }
  }

  /** The lists of all zones, and the answers to questions for every name of the pool. */
  async check(types: (name: string) => string[]): Promise<void> {
    // Nothing changes these zones during the check.
    await this.#service.settled();
    for (const zone of this.zones) {
      await this.#checkList(zone);
      const { comment = null } = await this.#expect(200, 'GET', `/zones/${zone.id}`);
      assert.equal(comment, zone.comment ?? null, `the comment of ${zone.name}`);
      const names = [...NAMES, 'nope', 'q.r.a', 'q.b', 'z.sub', '_tcp', 'y.kid'];
      for (const name of names) {
        const owner = name === '@' ? zone.name : `${name}.${zone.name}`;
        await Promise.all(types(name).map((type) => this.#look(owner, type, this.#service.dns.raw)));
      }
    }
  }

  async #createZone(zoneName: string): Promise<void> {
    const parent = this.zones
      .filter((zone) => zoneName.endsWith(`.${zone.name}`))
      .sort((a, b) => b.name.length - a.name.length)[0];
    const hides = parent?.records.some(({ name }) => {
      const owner = `${name}.${parent.name}`;
      return owner === zoneName || owner.endsWith(`.${zoneName}`);
    });
    const status = this.#zones.has(zoneName) || hides ? 409 : 200;
    const owner = `org:${this.#service.admin.team}`;
    const body = await this.#expect(status, 'POST', '/zones', { zoneName, owner });
    if (status !== 200) return;
    const ds = body.ds as { keyTag: number; algorithm: number; digestType: number; digest: string }[];
    const id = body.id as string;
    const digests = ds.map(
      (each) => `${each.keyTag} ${each.algorithm} ${each.digestType} ${each.digest.toLowerCase()}`,
    );
    this.#zones.set(zoneName, { id, name: zoneName, parked: false, defaultTtl: 3600, ds: digests, records: [] });
  }

  /** 404: every request about a zone that does not exist. */
  async #missing(operation: Operation): Promise<void> {
    if (operation.do === 'delete') await this.#expect(404, 'DELETE', '/zones/zone_gone/records/rec_gone');
    else if (operation.do === 'create')
      await this.#expect(404, 'POST', '/zones/zone_gone/records', { name: 'a', type: 'A', content: '192.0.2.1' });
    else if (operation.do === 'park') await this.#expect(404, 'POST', '/zones/zone_gone/park');
  }

  #children(zone: ModelZone): string[] {
    return listChildren(zone, this.zones).map(({ name }) => name);
  }

  #plan(
    zone: ModelZone,
    edit: Edit,
    records: ModelRecord[],
    picked: ModelRecord | undefined,
    coming: readonly Draft[] = [],
  ): Planned {
    const children = this.#children(zone);
    if (edit.do === 'create') {
      const content = inZone(edit.content as Content, zone.name);
      const record = buildBody(edit.name, content, edit);
      const item = { action: 'create', record };
      if (edit.wrong) return { status: 400, item, apply: (all) => all };
      const comment = after(edit.comment, null);
      const draft = { id: '', ...buildDraft(stored(edit.name), content, edit.ttl), comment };
      const { status } = judge(draft, records, zone.name, children, { coming });
      return { status: status === 200 ? 201 : status, item, apply: (all, id) => [...all, { ...draft, id }] };
    }
    const id = picked?.id ?? 'rec_gone';
    const stands = picked === undefined ? undefined : records.find((record) => record.id === id);
    if (edit.do === 'delete') {
      const status = stands === undefined ? 404 : mayGo(stands, records) ? 204 : 409;
      return { status, item: { action: 'delete', id }, apply: (all) => all.filter((record) => record.id !== id) };
    }
    const type = edit.type === 'same' ? (picked?.type ?? 'A') : edit.type;
    const choice = GOOD.filter((content) => content.type === type);
    const content = inZone(choice[edit.content % choice.length] as Content, zone.name);
    const name = picked?.name ?? 'a';
    const item = { action: 'update', id, record: buildBody(name, content, edit) };
    const comment = after(edit.comment, stands?.comment ?? null);
    const draft = { ...buildDraft(name, content, edit.ttl), id, comment };
    if (isWrongAlone(draft, zone.name)) return { status: stands === undefined ? 0 : 400, item, apply: (all) => all };
    if (stands === undefined) return { status: 404, item, apply: (all) => all };
    if (type !== stands.type) return { status: 400, item, apply: (all) => all };
    const { status } = judge(draft, records, zone.name, children, { replaced: stands });
    return { status, item, apply: (all) => all.map((record) => (record.id === id ? draft : record)) };
  }

  async #edit(zone: ModelZone, edit: Edit): Promise<void> {
    const picked = edit.do === 'create' ? undefined : zone.records[edit.pick % Math.max(1, zone.records.length)];
    const plan = this.#plan(zone, edit, zone.records, picked);
    const path = `/zones/${zone.id}/records`;
    const { record, id } = plan.item as { record?: Body; id?: string };
    const body =
      edit.do === 'create'
        ? await this.#expect(plan.status, 'POST', path, record)
        : await this.#expect(plan.status, edit.do === 'update' ? 'PUT' : 'DELETE', `${path}/${id}`, record);
    if (plan.status < 300) zone.records = plan.apply(zone.records, String(body.id ?? id));
  }

  async #batch(zone: ModelZone, { atomic, edits }: Extract<Operation, { do: 'batch' }>): Promise<void> {
    let records = zone.records;
    const plans: Planned[] = [];
    const coming = edits.flatMap((edit) => {
      if (edit.do !== 'create' || edit.wrong) return [];
      const draft = buildDraft(stored(edit.name), inZone(edit.content as Content, zone.name), edit.ttl);
      return isWrongAlone(draft, zone.name) ? [] : draft;
    });
    for (const [index, edit] of edits.entries()) {
      const picked = edit.do === 'create' ? undefined : zone.records[edit.pick % Math.max(1, zone.records.length)];
      const plan = this.#plan(zone, edit, records, picked, coming);
      plans.push(plan);
      if (plan.status < 300) records = plan.apply(records, `made ${index}`);
    }
    const wrong = plans.find(({ status }) => status >= 300 || status === 0);
    const path = `/zones/${zone.id}/records:batch`;
    const request = { atomic, changes: plans.map(({ item }) => item) };
    const body = await this.#expect(atomic && wrong ? wrong.status : 200, 'POST', path, request);
    if (atomic && wrong) return;
    const results = body.results as { status: number; record?: { id: string } }[];
    assert.deepEqual(
      results.map(({ status }, index) => (plans[index]?.status === 0 ? 0 : status)),
      plans.map(({ status }) => status),
      `${JSON.stringify(request.changes)} beside ${JSON.stringify(zone.records)}: ${JSON.stringify(results)}`,
    );
    zone.records = records.map((record) => {
      const made = /^made (\d+)$/.exec(record.id)?.[1];
      return made === undefined ? record : { ...record, id: results[Number(made)]?.record?.id as string };
    });
  }

  async #import(zone: ModelZone, { keep, add }: Extract<Operation, { do: 'import' }>): Promise<void> {
    const children = this.#children(zone);
    const kept = [...new Set(keep.map((pick) => zone.records[pick % Math.max(1, zone.records.length)]))];
    const drafts: Draft[] = [
      ...kept.flatMap((record) => (record === undefined ? [] : { ...record, content: record.content })),
      ...add.map(({ name, content, ttl }) =>
        buildDraft(stored(name), inFile(inZone(content as Content, zone.name)), ttl),
      ),
    ];
    const text = [`$TTL ${zone.defaultTtl}`, ...drafts.map(fileLine)].join('\n');
    // Records that the service makes itself are ignored.
    const wanted = drafts.filter(({ name, type }) => {
      const isCut = name === '@' || children.includes(`${name}.${zone.name}`);
      return !(isCut && (type === 'NS' || (type === 'DS' && name !== '@')));
    });
    const isRight = wanted.every(
      (draft) => !isWrongAlone(draft, zone.name) && mayStand(draft, wanted, zone.name, children),
    );
    const path = `/zones/${zone.id}/zonefile`;
    await this.#expect(isRight ? 200 : 400, 'PUT', path, `${text}\n`, { 'content-type': 'text/dns' });
    if (!isRight) return;
    // Which of the records of a set takes a new value is not promised; that those whose value stays keep their id is.
    const twin = (draft: Draft) => zone.records.find((record) => sameValue(record, draft));
    const listed = await this.#list(zone);
    zone.records = wanted.map((draft) => {
      const before = twin(draft);
      const { name, type } = draft;
      const content = before?.content ?? draft.content;
      const found = listed.find((row) =>
        before
          ? row.id === before.id
          : row.name === name && row.type === type && row.content === content && row.priority === draft.priority,
      );
      assert.ok(found, `${name} ${type} ${content} of the imported file is not listed: ${JSON.stringify(listed)}`);
      // A record keeps its comment, whichever value it has now. A new record has none.
      const { comment } = zone.records.find(({ id }) => id === found.id) ?? {};
      return { ...draft, content, id: found.id, comment: comment ?? null };
    });
    await this.#checkList(zone);
  }

  async #list(zone: ModelZone): Promise<Omit<ModelRecord, 'served'>[]> {
    const body = await this.#expect(200, 'GET', `/zones/${zone.id}/records`);
    return body.records as ModelRecord[];
  }

  async #checkList(zone: ModelZone): Promise<void> {
    const rows = (records: readonly Omit<ModelRecord, 'served'>[]) =>
      records
        .map(({ id, name, type, content, ttl, priority, comment }) =>
          [name, type, content, ttl ?? zone.defaultTtl, priority, id, comment ?? null].join(' '),
        )
        .sort();
    assert.deepEqual(rows(await this.#list(zone)), rows(zone.records), `the list of ${zone.name}`);
  }

  async #look(name: string, type: string, dns: Resolver = this.#service.dns): Promise<void> {
    const wanted = computeAnswer(this.zones, NAMESERVERS, name, type);
    let found: Expected | undefined;
    for (const until = performance.now() + FRESH_MS; performance.now() < until; ) {
      found = await ask(dns, name, type);
      if (found.kind === wanted.kind && found.lines.join('\n') === wanted.lines.join('\n')) return;
      if (isEndless(this.zones, NAMESERVERS, name)) {
        // A server that follows the chain may give up, or come past the same CNAME again.
        const once = [...new Set(found.lines)];
        if (found.kind === 'servfail' || (found.kind === wanted.kind && once.join() === wanted.lines.join())) return;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.deepEqual(found, wanted, `${name} ${type} is answered so`);
  }

  async #expect(
    status: number,
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    headers = {},
  ): Promise<Body> {
    const reply = await this.#service.request(method, path, body, undefined, headers);
    const zone = this.zones.find(({ id }) => path.includes(id));
    if (reply.status !== status && status !== 0) {
      const stands = zone?.records
        .map(({ id, name, type, content }) => `  ${id} ${name} ${type} ${content}`)
        .join('\n');
      const what = `${method} ${path} ${typeof body === 'string' ? body : JSON.stringify(body)}`;
      throw new Error(
        `${what}\nis answered ${reply.status} ${reply.text}\nthe model expects ${status}; ${zone?.name} holds\n${stands}`,
      );
    }
    return reply.body;
  }
}

const sameValue = (a: Draft, b: Draft) => a.name === b.name && a.type === b.type && a.served === b.served;

function buildBody(
  name: string,
  { type, sent, priority }: Pick<Content, 'type' | 'sent' | 'priority'>,
  { ttl, comment }: { ttl: number | null; comment: SentComment },
): Body {
  return {
    name,
    type,
    content: sent,
    ...(ttl === null ? {} : { ttl }),
    ...(comment === undefined ? {} : { comment }),
    ...(priority === undefined ? {} : { priority }),
  };
}

/** The comment after a write: without the field it stays, and an empty text removes it. */
function after(sent: SentComment, before: string | null): string | null {
  return sent === undefined ? before : sent?.trim() || null;
}

function buildDraft(name: string, content: Content, ttl: number | null): Draft {
  const { type, sent, listed = sent, served, target, priority = type === 'MX' ? 10 : null } = content;
  return { name, type, content: listed, served, ...(target === undefined ? {} : { target }), ttl, priority };
}

/** As a zone file gives it back: a text in quotes. */
function inFile(content: Content): Content {
  return content.type === 'TXT' ? { ...content, listed: content.served } : content;
}

/** RFC 1035 section 5: names with their final dot. */
function fileLine({ name, ttl, type, content, served, target }: Draft): string {
  const dotted = (text: string) => (text.endsWith('.') ? text : `${text}.`);
  const data =
    type === 'MX' || type === 'SRV'
      ? dotted(served)
      : type === 'TXT'
        ? served
        : type === 'HTTPS'
          ? content.replace('example.net', 'example.net.')
          : target === undefined
            ? content
            : dotted(target);
  return `${type === 'ALIAS' ? ';zonestead: ' : ''}${name} ${ttl ?? ''} IN ${type} ${data}`;
}
