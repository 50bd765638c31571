// Leases of an API server in memory: versions, conflicts, watches, and moments at which it does not answer. Each
// replica has its own way to it, which can be cut.
import type { KubeApi } from '#kube/api/api.ts';
import { KubeError } from '#kube/api/errors.ts';
import type { Lease, LeaseSpec } from '#kube/leader/lease.ts';

interface Watcher {
  send(line: string): void;
}

interface Annotated {
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The way of one replica to the API server. */
export interface Link {
  cut: 'no' | 'refused' | 'hangs' | 'answers lost';
  /** Every call takes effect at once, and its answer comes when this resolves. (Default: at once.) */
  answersAfter?: Promise<void>;
}

export class FakeLeases {
  /** Every spec there was, oldest first. */
  readonly history: LeaseSpec[] = [];
  lease: Lease | null = null;
  #version = 0;
  readonly #watchers = new Set<Watcher>();

  /** The calls of one replica. */
  connect(): { api: KubeApi; link: Link } {
    const link: Link = { cut: 'no' };
    const unused = () => Promise.reject(new Error('an election does not use this'));
    const call = async <T>(signal: AbortSignal | undefined, effect: () => T): Promise<T> => {
      await Promise.resolve();
      signal?.throwIfAborted();
      if (link.cut === 'hangs') return await never(signal);
      if (link.cut === 'refused') throw unreachable();
      const value = effect();
      await link.answersAfter;
      if (link.cut === 'answers lost') throw unreachable();
      return value;
    };
    const api = {
      get: (_type: unknown, _name: unknown, signal?: AbortSignal) => call(signal, () => this.#get()),
      create: (_type: unknown, draft: { metadata: Annotated; spec: LeaseSpec }, signal?: AbortSignal) =>
        call(signal, () => {
          if (this.lease !== null) throw status(409, 'AlreadyExists');
          return this.put(draft.spec, draft.metadata.annotations);
        }),
      merge: (
        _type: unknown,
        _name: unknown,
        patch: { metadata: Annotated & { resourceVersion: string }; spec: LeaseSpec },
        _options: unknown,
        signal?: AbortSignal,
      ) =>
        call(signal, () => {
          const old = this.#get();
          if (old.metadata.resourceVersion !== patch.metadata.resourceVersion) throw status(409, 'Conflict');
          return this.put(
            { ...old.spec, ...patch.spec },
            { ...old.metadata.annotations, ...patch.metadata.annotations },
          );
        }),
      watch: (_type: unknown, _options: unknown, signal: AbortSignal) =>
        call(signal, () => this.#watch(signal, () => link.cut === 'no')),
      list: unused,
      apply: unused,
      delete: unused,
    };
    return { api: api as unknown as KubeApi, link };
  }

  put(spec: LeaseSpec, annotations: Annotated['annotations'] = {}): Lease {
    this.#version += 1;
    this.lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        namespace: 'system',
        name: 'lease',
        uid: 'uid-lease',
        resourceVersion: String(this.#version),
        annotations: annotations ?? {},
      },
      spec,
    };
    this.history.push(spec);
    for (const watcher of this.#watchers) watcher.send(`${JSON.stringify({ type: 'MODIFIED', object: this.lease })}\n`);
    return this.lease;
  }

  #get(): Lease {
    if (this.lease === null) throw status(404, 'NotFound');
    return this.lease;
  }

  async *#watch(signal: AbortSignal, open: () => boolean): AsyncIterable<Uint8Array> {
    const lines: string[] = [];
    let wake = (): void => undefined;
    const watcher: Watcher = {
      send: (line) => {
        if (open()) lines.push(line);
        wake();
      },
    };
    this.#watchers.add(watcher);
    signal.addEventListener('abort', () => wake(), { once: true });
    try {
      while (!signal.aborted) {
        const line = lines.shift();
        if (line !== undefined) yield Buffer.from(line);
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
      throw signal.reason;
    } finally {
      this.#watchers.delete(watcher);
    }
  }
}

function never(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

const status = (code: number, reason: string) => new KubeError({ status: code, reason, message: reason });
const unreachable = () => new KubeError({ status: 0, reason: 'Unreachable', message: 'no answer' });
