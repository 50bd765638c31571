/**
 * ALIAS: the host whose addresses are served at this name. It is not a DNS type; the service resolves the host itself.
 */
import { pointerParser } from './pointer.ts';

export const parseAlias = pointerParser({ syntax: 'any', root: false });
