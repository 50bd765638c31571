/** CNAME: the name that this one stands for (RFC 1035 section 3.3.1). Service labels are common in targets. */
import { pointerParser } from './pointer.ts';

export const parseCname = pointerParser({ syntax: 'any', root: false });
