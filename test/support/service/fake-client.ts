// A client of the REST service whose answers a test chooses, operation by operation.
import type { Client } from '#client/client.ts';
import type { CallOptions } from '#client/http.ts';
import type { Input, Operation, OperationAnswer } from '#contract/operation.ts';

/** The answer to an operation. */
export interface Reply {
  readonly id: string;
  readonly answer: (input: never, options: CallOptions) => unknown;
}

export function on<const O extends Operation>(
  operation: O,
  answer: (input: Input<O>, options: CallOptions) => Promise<OperationAnswer<O>> | OperationAnswer<O>,
): Reply {
  return { id: operation.id, answer };
}

/** The client with other answers to some operations. */
export function withReplies(client: Client, ...replies: readonly Reply[]): Client {
  const byId = new Map(replies.map((reply) => [reply.id, reply]));
  return {
    ...client,
    call: async (operation, input, options = {}) => {
      const reply = byId.get(operation.id);
      return reply === undefined
        ? client.call(operation, input, options)
        : (reply.answer(input as never, options) as Promise<never>);
    },
  };
}

/** A client without a service: a call of another operation fails. */
export function fakeClient(...replies: readonly Reply[]): Client {
  const none: Client = {
    call: ({ id }) => Promise.reject(new Error(`the test has no answer to ${id}`)),
    close: () => Promise.resolve(),
  };
  return withReplies(none, ...replies);
}
