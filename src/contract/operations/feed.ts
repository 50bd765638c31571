// The operations for name servers: the feed that they follow, and their reports. Two of the answers are streams of
// lines.
import { z } from 'zod';
import {
  feedLine,
  feedQuery,
  LINES,
  nodeQuery,
  nodeReport,
  reportAnswer,
  servedZoneQuery,
  transferPlan,
  transferReport,
  zoneDigest,
  zoneLine,
} from '../feed.ts';
import { observations, observationsAnswer, probeList } from '../feed-probes.ts';
import { endings, endingsQuery, salvagePart } from '../feed-salvage.ts';
import { operation } from '../operation.ts';
import { zoneParams } from '../zone.ts';

export const followFeed = operation({
  id: 'followFeed',
  method: 'GET',
  path: '/v1/feed',
  tag: 'name servers',
  summary: 'Follow all changes of all zones',
  description:
    'The answer has no end: it has one JSON object in each line. The service ends it when it exits, when the key is revoked, and when the node reads too slowly. The node then continues after the last cursor. A node may have two streams; a third one ends the oldest.',
  needs: 'node',
  produces: [LINES],
  query: feedQuery,
  answers: { 200: feedLine },
  errors: ['bad_request', 'forbidden', 'busy'],
});

export const readServedZone = operation({
  id: 'readServedZone',
  method: 'GET',
  path: '/v1/feed/zones/{id}',
  tag: 'name servers',
  summary: 'Read one zone with its private key',
  description:
    'The answer has one JSON object in each line, all of one moment. An answer without an `end` line is incomplete. The service reads a few zones at once; others wait, and are answered `busy` after 20 seconds. It closes the connection of a client that reads nothing for 10 seconds, or less than 64 KiB a second.',
  needs: 'node',
  produces: [LINES],
  params: zoneParams,
  query: servedZoneQuery,
  answers: { 200: zoneLine },
  errors: ['bad_request', 'forbidden', 'no_zone', 'busy'],
});

export const readZoneDigest = operation({
  id: 'readZoneDigest',
  method: 'GET',
  path: '/v1/feed/zones/{id}/digest',
  tag: 'name servers',
  summary: 'Read the digest of one zone',
  description: 'A name server compares it with the digest of the zone that it holds.',
  needs: 'node',
  params: zoneParams,
  answers: { 200: zoneDigest },
  errors: ['forbidden', 'no_zone', 'busy'],
});

export const reportNode = operation({
  id: 'reportNode',
  method: 'POST',
  path: '/v1/feed/report',
  tag: 'name servers',
  summary: 'Report how far a name server is',
  description:
    'A node reports every second. A node that was silent for 30 seconds does not count any more. A name belongs to the key that reports under it, until its node was silent for as long.',
  needs: 'node',
  body: nodeReport,
  answers: { 200: reportAnswer },
  errors: ['bad_request', 'forbidden', 'conflict', 'busy'],
});

export const readEndings = operation({
  id: 'readEndings',
  method: 'GET',
  path: '/v1/feed/endings',
  tag: 'name servers',
  summary: 'Read revocations and other endings',
  description:
    'Revoked keys and trusts, removed members and drained clusters of the last 35 days, by ids and times. Name servers remember them for a database that is restored to an earlier time.',
  needs: 'node',
  query: endingsQuery,
  answers: { 200: endings },
  errors: ['bad_request', 'forbidden'],
});

export const salvageZone = operation({
  id: 'salvageZone',
  method: 'POST',
  path: '/v1/feed/salvage',
  tag: 'name servers',
  summary: 'Send a zone that the database lacks',
  description:
    'Accepted only while the command "zonestead admin nodes salvage" of an administrator asks for the zone. The parts with records come first, and the part with the key comes last. A part that is sent again replaces the first one.',
  needs: 'node',
  body: salvagePart,
  answers: { 204: z.null() },
  errors: ['bad_request', 'forbidden', 'conflict'],
});

export const readTransfers = operation({
  id: 'readTransfers',
  method: 'GET',
  path: '/v1/feed/transfers',
  tag: 'name servers',
  summary: 'Read the secondaries, with their keys, and the part of the node in zone transfers',
  description: 'The version of the answer is in the answer to each report.',
  needs: 'node',
  query: nodeQuery,
  answers: { 200: transferPlan },
  errors: ['bad_request', 'forbidden'],
});

export const reportTransfers = operation({
  id: 'reportTransfers',
  method: 'POST',
  path: '/v1/feed/transfers/report',
  tag: 'name servers',
  summary: 'Report how far the secondaries are',
  description: 'The source of zone transfers reports. Reports of other nodes change nothing.',
  needs: 'node',
  body: transferReport,
  answers: { 204: z.null() },
  errors: ['bad_request', 'forbidden'],
});

export const readProbes = operation({
  id: 'readProbes',
  method: 'GET',
  path: '/v1/feed/probes',
  tag: 'name servers',
  summary: 'Read the addresses that a name server probes',
  description:
    'Name servers probe where at least three of them can, each with a key of its own: at most five, the oldest ones. The version of the answer is in the answer to each report of probes.',
  needs: 'node',
  answers: { 200: probeList },
  errors: ['bad_request', 'forbidden'],
});

export const reportProbes = operation({
  id: 'reportProbes',
  method: 'POST',
  path: '/v1/feed/probes/report',
  tag: 'name servers',
  summary: 'Report what a name server says about addresses',
  description:
    'A node that can probe reports every second. A key has one vote, however many nodes use it. Votes about addresses that are not in the list of the node are dropped.',
  needs: 'node',
  body: observations,
  answers: { 200: observationsAnswer },
  errors: ['bad_request', 'forbidden'],
});
