// An operation of the REST API as data: the address, the rights, the schemas and the errors. The routes of the api, the
// calls of the client, the OpenAPI document and the reference pages are derived from it (`doors/rest/serve.ts`,
// `client/http.ts`).
//
// Libraries such as ts-rest and oRPC do the same. Two functions of about 100 lines read this form and keep fastify's
// hooks. It has fields that those libraries lack: the write limit that a request counts for, and whether an answer has
// an ETag.

import type { z } from 'zod';
import type { RouteBucket } from '#base/buckets.ts';
import type { ErrorCode } from './error.ts';

/**
 * The permission that a key needs for an operation. `member` and `owner` refer to the team in the path; they and
 * `person` need a personal key. `node` is the key of a name server.
 */
export type Permission =
  | 'manageZones:write'
  | 'records:read'
  | 'records:write'
  | 'clusters:write'
  | 'signals'
  | 'person'
  | 'member'
  | 'owner'
  | 'node';

/**
 * The writes that a request counts as: one, or a number by the body, before the body is validated, or as many as the
 * handler of the operation says.
 */
type Counts =
  | RouteBucket
  | {
      readonly bucket: RouteBucket;
      readonly changes: 'operation' | ((body: unknown) => number);
      /** How many of the records in the body are those of challenges, which count in a window of their own. */
      readonly challenges?: (body: unknown) => number;
    };

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Parameters are in braces, as in OpenAPI. */
  readonly path: `/v1/${string}`;
  readonly tag: 'zones' | 'records' | 'account' | 'clusters' | 'checks' | 'name servers';
  readonly summary: string;
  readonly description: string;
  /** Absent: every valid key may call it. */
  readonly needs?: Permission;
  /** Absent: it has no limit. */
  readonly counts?: Counts;
  /** A method other than GET that changes nothing. (Default: false.) */
  readonly changesNothing?: boolean;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  /** The body as it is documented. Absent: the operation takes none. */
  readonly body?: z.ZodType;
  /** The body as it is checked first: a wrong part must not refuse the others. (Default: `body`.) */
  readonly envelope?: z.ZodType;
  /** The content types of the body. (Default: JSON.) */
  readonly consumes?: readonly string[];
  /** The content types of the answer. (Default: JSON.) */
  readonly produces?: readonly string[];
  /** The answers to a success, by status. */
  readonly answers: Readonly<Record<number, z.ZodType>>;
  /**
   * The codes of its refusals, in addition to `unauthorized`, `internal` and `busy`. With `precondition_failed` it
   * takes If-Match, and a GET also If-None-Match, to which the answer can be 304.
   */
  readonly errors: readonly ErrorCode[];
  /** Whether its answers have an ETag. (Default: false.) */
  readonly tagged?: boolean;
  /**
   * Whether its answer has a secret that is stored nowhere: no cache may keep it, and no repetition gets it. (Default:
   * false.)
   */
  readonly secret?: boolean;
}

/** Keeps the exact type of the operation, from which those of calls and handlers follow. */
export function operation<const O extends Operation>(definition: O): O {
  return definition;
}

/** The parts of an operation that a request brings. */
type Part = 'params' | 'query' | 'body' | 'envelope';

/** A part after validation; undefined for an operation without it. */
export type Received<O extends Operation, P extends Part> = O extends { readonly [K in P]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

type Sent<O extends Operation, P extends Part> = O extends { readonly [K in P]: infer S extends z.ZodType }
  ? z.input<S>
  : undefined;

/** The parts of the request that a call sends. */
export type Input<O extends Operation> = (Sent<O, 'params'> extends undefined
  ? { readonly params?: never }
  : { readonly params: Sent<O, 'params'> }) &
  (Sent<O, 'query'> extends undefined ? { readonly query?: never } : { readonly query?: Sent<O, 'query'> }) &
  (Sent<O, 'body'> extends undefined ? { readonly body?: never } : { readonly body: Sent<O, 'body'> });

/** The body of a success; null if it has none. */
export type OperationAnswer<O extends Operation> = z.output<O['answers'][keyof O['answers']]>;

/** Whether a change can have a condition in its request. */
export function takesCondition({ errors }: Operation): boolean {
  return errors.includes('precondition_failed');
}
