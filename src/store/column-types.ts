// The column types that drizzle has no name for.
import { customType, timestamp } from './drizzle.ts';

export const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });
/** Byte order for any locale of the database: DNSSEC's canonical order is by bytes (RFC 4034 6.1). */
export const textC = customType<{ data: string }>({ dataType: () => 'text collate "C"' });
export const xid8 = customType<{ data: string }>({ dataType: () => 'xid8' });
export const pgSnapshot = customType<{ data: string }>({ dataType: () => 'pg_snapshot' });
export const cidrs = customType<{ data: string[] }>({ dataType: () => 'cidr[]' });
export const times = customType<{ data: Date[] }>({ dataType: () => 'timestamptz[]' });
export const numberArray = customType<{ data: number[] }>({ dataType: () => 'bigint[]' });
export const textArray = customType<{ data: string[] }>({ dataType: () => 'text[]' });
export const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
