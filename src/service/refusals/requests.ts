// Refusals of any request: form, size, authentication, limits and load.
import type { RefusalText } from './rule.ts';

export const REQUEST_REFUSALS = {
  'invalid-value': {
    code: 'bad_request',
    sentence: '{problem}',
    about:
      'A field of the body, of the query or of a record is missing or has a wrong value. The message names what is accepted.',
  },
  'invalid-request': {
    code: 'bad_request',
    sentence: 'The request {problem}',
    about: 'The body or the query as a whole has a wrong form. The message names what is accepted.',
  },
  'bad-cursor': { code: 'bad_request', field: 'cursor', sentence: 'must be the "next" of an earlier answer.' },
  'bad-header': { code: 'bad_request', sentence: '{problem}.', about: 'A request header is malformed.' },
  'header-repeated': { code: 'bad_request', sentence: 'must not be sent more than once.' },
  'header-not-once': { code: 'bad_request', sentence: 'must be sent exactly once.' },
  'changed-meanwhile': {
    code: 'precondition_failed',
    sentence:
      '{what} changed since you read it: its ETag is {etag} now. Nothing was written. Read it again, and send that ETag if your change is still right.',
    about:
      'The header If-Match, or `ifMatch` of a change in a batch, has no ETag of the present state. The answer has that ETag, and `current` is the record or the zone as it is now.',
  },
  'weak-tag': {
    code: 'precondition_failed',
    sentence:
      'a weak ETag never matches, so nothing was compared or written. {what} has the ETag {etag}: send it without W/ in front.',
  },
  'matches-none-match': {
    code: 'precondition_failed',
    sentence: '{what} exists with the ETag {etag}, which If-None-Match excludes. Nothing was written.',
  },
  'path-mismatch': { code: 'bad_request', field: 'id', sentence: 'must be {id} as in the path, or be omitted.' },
  'two-names': { code: 'bad_request', field: 'name', sentence: 'is an alias of zoneName; send only one of them.' },
  'body-unwanted': {
    code: 'bad_request',
    sentence: 'This operation takes no body: leave it out, or send an empty JSON object.',
  },
  'body-empty': { code: 'bad_request', sentence: 'The body is empty: send {what}.' },
  'body-not-utf8': { code: 'bad_request', sentence: 'The body is not in UTF-8, as JSON has to be.' },
  'body-not-json': { code: 'bad_request', sentence: 'The body is not valid JSON.' },
  'body-too-complex': {
    code: 'bad_request',
    sentence: '{problem}',
    about: 'The JSON is nested too deeply or holds too many values.',
  },
  'body-too-large': { code: 'bad_request', sentence: 'The body is too large: at most {mebibytes} MiB are read here.' },
  'body-wrong-length': { code: 'bad_request', sentence: 'The body has another length than Content-Length says.' },
  'body-wrong-type': {
    code: 'bad_request',
    sentence: 'The body must be {what}: send the header "Content-Type: {type}".',
  },
  'body-compressed': {
    code: 'bad_request',
    sentence: 'The body must not be compressed: leave out the header Content-Encoding.',
  },
  'address-not-utf8': {
    code: 'bad_request',
    sentence: 'The address is not valid: the percent-encoded octets of its path must be UTF-8.',
  },
  'address-too-long': {
    code: 'bad_request',
    sentence: 'The address is too long: an id has at most {limit} characters.',
  },
  'headers-too-large': {
    code: 'bad_request',
    sentence: 'The address and the headers are too large: at most 16 KiB are read.',
  },
  'request-too-slow': { code: 'bad_request', sentence: 'The request did not arrive in time.' },
  'not-tls': {
    code: 'bad_request',
    sentence: 'This port expects TLS, and the request is not encrypted: use an address that begins with https://.',
  },
  'not-encrypted': {
    code: 'forbidden',
    sentence:
      'This connection is not encrypted: use an address that begins with https://, and replace a key that you sent here, because others may have read it. Without TLS, the api answers only its own machine and the proxies in ZONESTEAD_TRUSTED_PROXIES.',
  },
  'not-http': { code: 'bad_request', sentence: 'The request is not valid HTTP.' },
  malformed: { code: 'bad_request', sentence: 'The request is malformed.' },
  'client-left': { code: 'bad_request', sentence: 'The client closed the connection before the answer.' },
  'no-such-method': { code: 'bad_request', sentence: '{method} is not possible here. Possible methods: {allow}.' },
  'no-such-path': {
    code: 'not_found',
    sentence: "There is no {method} {path} here; the API's paths begin with /v1/dns.",
  },
  'no-such-powerdns-path': {
    code: 'not_found',
    sentence: 'There is no {method} {path} here: the service answers a part of the API of PowerDNS.',
  },
  'invalid-key': {
    code: 'unauthorized',
    sentence:
      'Invalid or missing API key. Send the header "Authorization: Bearer yk_…" with a key that is still valid.',
  },
  'invalid-header-key': {
    code: 'unauthorized',
    sentence: 'Invalid or missing API key. Send the header "X-API-Key: yk_…" with a key that is still valid.',
  },
  'node-key': {
    code: 'forbidden',
    sentence:
      'This is the key of a name server, which can only read the feed and report. Use the key of an app account (yk_…) or of a person (yu_…).',
  },
  'feed-not-encrypted': {
    code: 'forbidden',
    sentence:
      'The feed carries private keys, and this connection is not encrypted: use an https address. If a proxy ends TLS before the api, list the proxy in ZONESTEAD_TRUSTED_PROXIES and let it send X-Forwarded-Proto: https (with ZONESTEAD_PROXY_HEADER=Forwarded: proto=https in Forwarded).',
  },
  'not-a-node-key': {
    code: 'forbidden',
    sentence: 'Only the key of a name server (yn_…) can read the feed; "zonestead admin keys mint --node" creates one.',
  },
  'node-name-taken': {
    code: 'conflict',
    field: 'node',
    sentence:
      'a name server with another key (key id {keyId}) reports under the name {node}. Give each name server a name of its own; a name is free when its name server was silent for {seconds} seconds.',
  },
  'too-many-nodes': {
    code: 'conflict',
    field: 'node',
    sentence: 'the service knows as many name servers as it can hold; it forgets one that was silent for a day.',
  },
  'no-salvage': {
    code: 'conflict',
    field: 'zone',
    sentence:
      'no administrator asks for {name} now with this token, or the name server has not reported under this instance within 30 seconds.',
  },
  'bad-node-cursor': {
    code: 'bad_request',
    field: 'cursor',
    sentence: 'must be the cursor of a line of the feed, or null.',
  },
  'key-revoked': {
    code: 'unauthorized',
    sentence: 'Invalid or missing API key: it was revoked or expired while this change waited.',
  },
  'token-reused': {
    code: 'conflict',
    sentence: 'This Idempotency-Key was used for another request; use a new one for each request.',
  },
  'too-many-writes': {
    code: 'rate_limited',
    sentence: 'Too many {kind}: {limit} in {seconds} seconds are allowed. Slow down and try again after Retry-After.',
  },
  'too-many-reads': {
    code: 'rate_limited',
    sentence:
      'Too many reads with this key: {burst} at once and {limit} a minute are allowed. Try again after Retry-After, and read lists in place of single objects.',
  },
  'writes-nothing': {
    code: 'forbidden',
    sentence: 'The write limit of this key is 0, so it may not write {bucket}; use a key with a higher limit.',
  },
  'zone-busy': {
    code: 'busy',
    sentence: 'The zone is busy with another change. Nothing was written; try again in a moment.',
  },
  'team-busy': {
    code: 'busy',
    sentence: 'The team is busy with another change. Nothing was written; try again in a moment.',
  },
  'reader-too-slow': {
    code: 'busy',
    sentence: 'You read this answer too slowly, and others wait. Ask again, for less at once.',
  },
  'service-busy': {
    code: 'busy',
    sentence: 'The service is busy with other {work}. Nothing was read or written; try again in a moment.',
  },
  'database-away': {
    code: 'internal',
    sentence: 'The database takes no changes at the moment. Nothing was written; try again after Retry-After.',
  },
  'read-only': {
    code: 'internal',
    sentence: 'The service takes no changes at the moment: {reason} Nothing was written; try again after Retry-After.',
    about: 'An administrator has paused changes. Reads and DNS answers continue.',
  },
  'outcome-unknown': {
    code: 'internal',
    sentence:
      'The connection to the database was lost before it confirmed the change, so the change may be written or not. Send the same request again after Retry-After; with the same Idempotency-Key it takes effect once.',
    about:
      'The only answer 503 after which a change can be written. Without an Idempotency-Key, read the zone before you repeat a POST.',
  },
  'zone-key-unreadable': {
    code: 'busy',
    sentence: 'The private key of the zone {name} cannot be read: {cause}. Set ZONESTEAD_ENCRYPTION_KEYS as it was.',
  },
  overloaded: { code: 'busy', sentence: '{cause} Nothing was written; try again after Retry-After.' },
  internal: {
    code: 'internal',
    sentence: 'This is an error of the service. Try again, and quote the x-request-id if it persists.',
  },
} as const satisfies Record<string, RefusalText>;
