// The contract of the probes of health checks that name servers send, and of their votes.
//
// A node reports each second. The first report of a session has no votes, and ends those of the session before. The
// next ones have the votes that changed, in numbered parts, so that none is lost or counted twice: an answer with
// `known: false` means that the service lacks a part, for instance after a restore, and the node begins a new session.
// A node that the service gives no list probes nothing, and a service without these operations has no such nodes.
import { z } from 'zod';
import { ADDRESS_STATES } from '#base/check-form.ts';
import { nodeName } from './feed.ts';

/** The most votes in one report. */
export const MAX_PART = 1_000;
/** The most probes in a list. */
const MAX_LISTED_PROBES = 50_000;
/** The longest reason of a vote, in characters. */
export const MAX_VOTE_REASON = 200;
/** A report with the most votes, whose reasons are as long as they can be, has less. */
export const MAX_OBSERVATIONS_BYTES = 1024 * 1024;
/** A node that could not report for this long stops its probes, in ms, because the service may probe again. */
export const VOTES_LAST_MS = 3_000;

const probeId = z.string().min(1).max(40).meta({ description: 'The name of the probe.' });

/** `GET /v1/feed/probes`. */
export const probeList = z
  .object({
    version: z.string().max(100).meta({ description: 'Changes with the list. Compared for equality only.' }),
    apartMs: z.int().min(0).max(60_000).meta({
      description: 'The node sends two probes to one address at least so many ms apart, on average.',
    }),
    probes: z
      .array(
        z.object({
          probe: probeId,
          owner: z.string().max(100).meta({ description: 'The id of the owner. Owners take turns.' }),
          address: z.string().max(45).meta({ description: 'The address.' }),
          state: z.enum(ADDRESS_STATES).meta({ description: 'The present state.' }),
          definition: z.record(z.string(), z.unknown()).meta({
            description:
              'As the definition of a check, with fewer `failures`, because several name servers must see them. A node probes nothing whose definition it does not know.',
          }),
        }),
      )
      .max(MAX_LISTED_PROBES)
      .meta({ description: 'The probes. Empty for a node that does not probe.' }),
  })
  .meta({ id: 'ProbeList', description: 'The addresses that a name server probes.' });
export type ProbeList = z.infer<typeof probeList>;

/** `POST /v1/feed/probes/report`. */
export const observations = z
  .strictObject({
    node: nodeName,
    session: z.uuid().meta({ description: 'Made by the node when it begins to vote.' }),
    part: z.int().min(0).max(2_147_483_646).meta({
      description: 'How many parts of votes the service has stored in this session. 0 without votes begins it.',
    }),
    votes: z
      .array(
        z.strictObject({
          probe: probeId,
          state: z.enum(ADDRESS_STATES).meta({
            description: 'The state as this node sees it. `Unknown`: the node takes its vote back.',
          }),
          reason: z
            .string()
            .max(MAX_VOTE_REASON)
            .nullable()
            .meta({ description: 'Why the address does not work, as a sentence.' }),
        }),
      )
      .max(MAX_PART)
      .meta({ description: 'The votes that changed. Empty: all votes before still hold.' }),
  })
  .meta({ id: 'Observations', description: 'The votes of a name server about the addresses that it probes.' });
export type Observations = z.infer<typeof observations>;

export const observationsAnswer = z.object({
  known: z.boolean().meta({
    description: 'False: the service does not know the session or lacks a part, or another node with this key votes.',
  }),
  probes: z.string().nullable().meta({
    description:
      'The version of GET /v1/feed/probes; the node reads it again when it changes. Null: it does not probe.',
  }),
});
export type ObservationsAnswer = z.infer<typeof observationsAnswer>;
