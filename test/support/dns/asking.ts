// Questions to name servers, one after the other at each, for as long as a test wants, while parts of the service are
// down.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lookup, Resolver } from './resolver.ts';

export interface Known {
  name: string;
  type: string;
  /** The fault of the answer; null if it is right. */
  judge(seen: Lookup): string | null;
}

export interface Asking {
  /** The number of right and wrong answers of each name server up to now. */
  asked(): number[];
  /** Ends the questions to a name server, after the one that is under way, until `resume`. */
  omit(server: Resolver): Promise<void>;
  /** Waits until the name server answers all questions rightly, at most 60 s, and asks it again from then on. */
  resume(server: Resolver): Promise<void>;
  /** Waits until each name server that is not omitted was asked `count` more times. */
  more(count: number): Promise<void>;
  /** Ends all questions. @returns sentences about wrong and missing answers */
  stop(): Promise<string[]>;
}

/** The addresses of a name, as in `www.site.example 300 A 192.0.2.1`. */
export const answered = (name: string, type: string, ...lines: string[]): Known => ({
  name,
  type,
  judge: ({ rcode, answers }) =>
    rcode === 'NOERROR' && JSON.stringify(answers) === JSON.stringify(lines.sort()) ? null : `${rcode} [${answers}]`,
});

/** A name that does not exist. */
export const denied = (name: string, type: string): Known => ({
  name,
  type,
  judge: ({ rcode, answers }) => (rcode === 'NXDOMAIN' && answers.length === 0 ? null : `${rcode} [${answers}]`),
});

const PAUSE_MS = 5;
const RESUME_MS = 60_000;
/** A failure is followed by more of them. */
const MAX_FAILURES = 20;

export function startAsking(servers: readonly Resolver[], questions: readonly Known[]): Asking {
  const failures: string[] = [];
  let isOver = false;
  const loops = servers.map((server) => ({ server, asked: 0, isOut: false, ended: Promise.resolve() }));

  const problem = async (server: Resolver, { name, type, judge }: Known): Promise<string | null> => {
    const wrong = await server.lookup(name, type, { dnssec: true }).then(judge, String);
    return wrong === null ? null : `port ${server.port} answered ${name} ${type} with ${wrong}`;
  };
  const run = async (loop: (typeof loops)[number]) => {
    for (let at = 0; !isOver && !loop.isOut; at += 1) {
      const found = await problem(loop.server, questions[at % questions.length] as Known);
      loop.asked += 1;
      if (found !== null && failures.length < MAX_FAILURES) failures.push(found);
      await sleep(PAUSE_MS);
    }
  };
  const findLoop = (server: Resolver) => loops.find((loop) => loop.server === server) as (typeof loops)[number];
  for (const loop of loops) loop.ended = run(loop);
  return {
    asked: () => loops.map(({ asked }) => asked),
    omit: async (server) => {
      const loop = findLoop(server);
      loop.isOut = true;
      await loop.ended;
    },
    resume: async (server) => {
      const loop = findLoop(server);
      for (const limit = performance.now() + RESUME_MS; ; await sleep(PAUSE_MS)) {
        const problems = await Promise.all(questions.map((question) => problem(server, question)));
        if (problems.every((each) => each === null)) break;
        if (performance.now() > limit) throw new Error(`${problems.filter((each) => each !== null).join('; ')}`);
      }
      loop.isOut = false;
      loop.ended = run(loop);
    },
    more: async (count) => {
      const wanted = loops.map(({ asked }) => asked + count);
      while (loops.some(({ isOut, asked }, at) => !isOut && asked < (wanted[at] as number))) await sleep(PAUSE_MS);
    },
    stop: async () => {
      isOver = true;
      await Promise.all(loops.map(({ ended }) => ended));
      return failures;
    },
  };
}
