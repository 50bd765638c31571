// The health checks of the memory service. A test says which addresses fail.
import {
  type CheckDefinition,
  type CheckView,
  checkBody,
  type SignalView,
  signalWrite,
  type TargetView,
} from '#contract/checks.ts';
import { deleteCheck, getCheck, listChecks, setCheck, setCheckSignal } from '#contract/operations/checks.ts';
import { writeRevision } from '#service/checks/view.ts';
import { on } from '../service/fake-client.ts';

const AT = Date.UTC(2026, 10, 21, 12);

interface MemoryChecksOptions {
  owner: string;
  /** The addresses of the records that name a check. */
  addressesOf(name: string): readonly string[];
  /** Called after each change. */
  changed(): void;
  refuse(status: number, code: string, message: string): Error;
}

export class MemoryChecks {
  readonly definitions = new Map<string, CheckDefinition>();
  /** The addresses that fail, with the reason. The others are healthy. */
  readonly failing = new Map<string, string>();
  /** The last signals for all addresses of a check. They do not end by themselves. */
  readonly signals = new Map<string, SignalView>();
  readonly #options: MemoryChecksOptions;

  constructor(options: MemoryChecksOptions) {
    this.#options = options;
  }

  list(): CheckView[] {
    return [...this.definitions.keys()].map((name) => this.get(name));
  }

  get(name: string): CheckView {
    const { owner, refuse, addressesOf } = this.#options;
    const definition = this.definitions.get(name);
    if (definition === undefined) throw refuse(404, 'not_found', `There is no check ${name}.`);
    const time = new Date(AT).toISOString();
    const targets = addressesOf(name).map((address): TargetView => {
      const { state, reason } = this.#stateOf(name, address);
      return { address, state, reason, since: time, down: state === 'Unhealthy', pin: null, nameServers: null };
    });
    const unhealthy = targets.filter(({ down }) => down).length;
    return {
      ...{ name, owner, definition, revision: writeRevision(definition, JSON.stringify(targets)) },
      ...{ createdAt: time, updatedAt: time, targets, changes: [], signals: [] },
      counts: { healthy: targets.length - unhealthy, unhealthy, unknown: 0 },
    };
  }

  put(name: string, body: unknown): CheckView {
    const [before, definition] = [this.definitions.get(name), checkBody.parse(body)];
    this.definitions.set(name, definition);
    if (JSON.stringify(before) !== JSON.stringify(definition)) this.#options.changed();
    return this.get(name);
  }

  signal(name: string, body: unknown): SignalView {
    const { refuse, changed } = this.#options;
    const { definition } = this.get(name);
    if (definition.type !== 'signal') throw refuse(409, 'conflict', `The check ${name} takes no signals.`);
    const { state, reason = '', ttlSeconds } = signalWrite.parse(body);
    if (this.signals.get(name)?.state !== state) changed();
    const view = { address: null, state, reason, until: new Date(AT + ttlSeconds * 1_000).toISOString() };
    this.signals.set(name, view);
    return view;
  }

  isFailing(name: string | undefined, address: string): boolean {
    return name !== undefined && this.#stateOf(name, address).state === 'Unhealthy';
  }

  #stateOf(name: string, address: string): Pick<TargetView, 'state' | 'reason'> {
    if (this.definitions.get(name)?.type === 'signal')
      return this.signals.get(name) ?? { state: 'Unknown', reason: 'No signal lasts.' };
    const reason = this.failing.get(address) ?? null;
    return { state: reason === null ? 'Healthy' : 'Unhealthy', reason };
  }

  remove(name: string): null {
    const { refuse, changed, addressesOf } = this.#options;
    this.get(name);
    if (addressesOf(name).length > 0) throw refuse(409, 'conflict', `Records name the check ${name}.`);
    changed();
    this.definitions.delete(name);
    return null;
  }
}

type Call = <T>(what: string, work: () => T) => Promise<T>;

/** The answers to the operations on checks. @param call makes a call with its name, unless a fault prevents it */
export function replyAboutChecks(checks: MemoryChecks, call: Call): readonly ReturnType<typeof on>[] {
  return [
    on(listChecks, () => call('list checks', () => ({ checks: checks.list() }))),
    on(getCheck, ({ params: { name } }) => call(`check ${name}`, () => checks.get(name))),
    on(setCheck, ({ params: { name }, body }) => call(`put check ${name}`, () => checks.put(name, body))),
    on(setCheckSignal, ({ params: { name }, body }) => call(`signal ${name}`, () => checks.signal(name, body))),
    on(deleteCheck, ({ params: { name } }) => call(`delete check ${name}`, () => checks.remove(name))),
  ];
}
