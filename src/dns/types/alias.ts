/** ALIAS: the host whose addresses are served at this name. No type of the DNS; the service resolves it itself. */
import { pointerParser } from './pointer.ts';

export const parseAlias = pointerParser({ syntax: 'any', root: false });
