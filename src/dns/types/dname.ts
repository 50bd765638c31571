/** DNAME: the name that all names below this one are redirected to (RFC 6672). */
import { pointerParser } from './pointer.ts';

export const parseDname = pointerParser({ syntax: 'any', root: false });
