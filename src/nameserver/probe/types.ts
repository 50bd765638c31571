// The record types that a probe asks for.
import type { TypeName } from '#dns/types/numbers.ts';
import type { GenericType } from '#dns/types/record-type.ts';

export type WireType = Exclude<TypeName, 'NSEC' | 'NSEC3' | 'NSEC3PARAM' | 'CDS' | 'CDNSKEY'> | GenericType;
