/** PTR: a pointer to a name (RFC 1035 section 3.3.12); DNS-SD (RFC 6763) points to service labels with it. */
import { pointerParser } from './pointer.ts';

export const parsePtr = pointerParser({ syntax: 'any', root: false });
