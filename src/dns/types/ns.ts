/** NS: a name server of a delegated subdomain (RFC 1035 section 3.3.11), a host name in the sense of RFC 1123. */
import { pointerParser } from './pointer.ts';

export const parseNs = pointerParser({ syntax: 'host', root: false });
