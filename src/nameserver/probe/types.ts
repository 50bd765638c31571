// The record types that a probe asks for.
import type { TypeName } from '#dns/types/numbers.ts';

export type WireType = Exclude<TypeName, 'NSEC' | 'NSEC3' | 'CDS' | 'CDNSKEY'>;
