// The parts of the OpenAPI document that the routes of both protocols share.
import type { Permission } from '#contract/operation.ts';

export const TAGS = ['acme'];

/** A key in `Authorization`, as `Basic` or `Bearer`. */
export const basic = (...permissions: Permission[]) => [{ basic: permissions }, { key: permissions }];
