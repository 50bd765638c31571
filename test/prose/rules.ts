// The words and forms of sentences that the project does not use, each with the advice what to write instead. A rule
// looks at one sentence. It must hit few good sentences: a form that is often right is left to the reader of a change.

export interface Rule {
  readonly name: string;
  /** What to write instead. */
  readonly advice: string;
  /** A space in it stands for any white space, ends of lines included. */
  readonly pattern: RegExp;
  /** Where it looks: everywhere, or only at a sentence that `begins`, questions excepted. (Default: everywhere.) */
  readonly at?: 'start';
}

const NOUN = 'begin with the noun: "the records that …", "the person who …", "the value that …"';
const PREPOSITIONS =
  'about|after|among|at|before|behind|beside|between|but|by|for|from|in|into|like|of|on|than|to|under|unlike|until|upon|with|without';
/**
 * After these words "what" has no noun; after say, tell, know, decide, show and their like it is an indirect question.
 */
const BEFORE_WHAT = [
  'is|are|was|were|be|been|has|have|had|does|do|did|and not|but|besides|than|below|above|as',
  'of|to|from|for|with|without|in|into|by|at|like|after|before|beside|between|over|under|until',
  'keeps?|kept|holds?|held|gives?|gave|given|takes?|took|taken|makes?|made|gets?|got|reads?|writes?|written|wrote|sends?|sent',
  'deletes?|deleted|removes?|removed|leaves?|left|needs?|wants?|compares?|counts?|changes|changed|carries|carry|serves?|served',
  'sees|repairs?|repeats?|adds?|added|creates?|loses?|lost|returns?|returned|finds|found|covers?|waits?|stays?|uses?|used',
  'answers?|overtakes?|drops?|ignores?|permits?|allows?|give up|gives up|replaces?|purges?|accepts?|limits?|cleans up',
].join('|');

export const RULES: readonly Rule[] = [
  { name: 'headless-start', at: 'start', pattern: /^(what(ever)?|who(m|ever|se)?|that which)\b/i, advice: NOUN },
  {
    name: 'of-start',
    at: 'start',
    pattern: /^of\b(?! course)/i,
    advice: 'begin with the subject: "the status of each zone", not "of each zone its status"',
  },
  { name: 'headless-clause', pattern: /[;:—–] (what|who|whose|that which)\b(?=[^?]*$)/, advice: NOUN },
  { name: 'headless-clause', pattern: /[;—–] of\b(?! course)/, advice: 'begin the clause with its subject' },
  { name: 'headless-clause', pattern: new RegExp(`\\b(${PREPOSITIONS}) (who|whoever)\\b`, 'i'), advice: NOUN },
  {
    name: 'headless-clause',
    pattern: /\b(after|because|if|once|since|so that|that|unless|until|when|whether|while) (what|who|whose|whoever)\b/i,
    advice: NOUN,
  },
  { name: 'headless-clause', pattern: /\b(those|that|this|these) (which|what)\b/i, advice: NOUN },
  { name: 'headless-clause', pattern: /\b(all|nothing|everything|anything|something) what\b/i, advice: NOUN },
  {
    name: 'headless-what',
    pattern: new RegExp(
      `(,|\\b(${BEFORE_WHAT})) what(ever)?\\b(?!\\)| (kind|sort|time|moment|order|way)\\b)(?=[^?]*$)`,
      'i',
    ),
    advice: NOUN,
  },
  { name: 'whatever', pattern: /\bwhatever\b/i, advice: '"any …", "even if …", "in any order"' },
  {
    name: 'whoever',
    pattern: /\b(whoever|whomever|whosoever)\b/i,
    advice: 'name the person or the program: "a client that …"',
  },
  {
    name: 'condition-without-if',
    at: 'start',
    pattern: /^(Was|Were|Is|Are|Has|Had|Did|Does|Should) (the|a|an|it|its|one|this|that|there|no|they)\b[^?]*,/,
    advice: 'say "if": "If the password was changed, update its Secret."',
  },
  {
    name: 'must-not-know',
    pattern:
      /\b(must not know|knows? (no|nothing|neither)\b|(is|are) not for (this|these) (room|file|module)s?\b|(is|are) (not known|unknown) here\b)/i,
    advice: 'delete it: src/README.md says once per room who may import whom',
  },
  { name: 'for-good', pattern: /\bfor (good|ever)\b(?! (reason|measure))/i, advice: 'permanently; never expires' },
  {
    name: 'stop-to',
    pattern: /\b(stop|stops|stopped|stopping) to [a-z]+/i,
    advice: 'stop …ing: "stop to resolve" means to pause in order to resolve',
  },
  { name: 'by-commas', pattern: /\bby (commas?|a comma)\b/i, advice: 'comma-separated' },
  {
    name: 'stands',
    pattern:
      /\b(stands|stood|standing)\b(?! (for|by|in for|out)\b)|\b(can|may|must|will|could|would|to|they|that|which|not|never|only) stand\b(?! for\b)/i,
    advice: 'is, exists, is written',
  },
  { name: 'all-the-same', pattern: /\ball the same\b/i, advice: 'nevertheless, still, anyway' },
  { name: 'beside', pattern: /\bbeside\b/i, advice: 'next to, with, in addition to, at the same name as' },
  { name: 'mend', pattern: /\bmend(s|ed|ing)?\b/i, advice: 'fix, repair, correct' },
  { name: 'mint', pattern: /(?<!\bkeys )\bmint(s|ed|ing)?\b/i, advice: 'create, issue' },
  { name: 'anew', pattern: /\banew\b/i, advice: 'again' },
  { name: 'seldom', pattern: /\bseldom(ly)?\b/i, advice: 'rarely' },
  { name: 'spelt', pattern: /\bspelt\b/i, advice: 'spelled, written' },
  { name: 'shall', pattern: /\bshall\b/i, advice: 'must, should, will' },
  {
    name: 'archaic',
    pattern:
      /\b(whence|thence|hence|lest|till|nought|naught|aught|whereof|whereupon|thereof|hither|amiss|amongst|whilst|ere)\b/i,
    advice: 'the ordinary word: from where, so that … not, until, nothing, because of this',
  },
  { name: 'tell-of', pattern: /\b(tells?|told|telling) of\b/i, advice: 'report, emit, log' },
  { name: 'is-over', pattern: /\b(is|are|was|were) over[.,;:]/i, advice: 'has expired, has ended' },
  { name: 'to-come', pattern: /\b(one|ones|moment|time|something) to come\b/i, advice: 'future, next' },
  {
    name: 'coined-word',
    pattern: /\b(vigils?|crew|elders?|in the house|the house|a house|births?|hood|patience|doorplate)\b/i,
    advice: 'the word of the field: context, precedence, creation, retry delay, room',
  },
  { name: 'goes-on', pattern: /\b(go|goes|going|went) on\b/i, advice: 'continue, keep running, be in progress' },
  {
    name: 'goes',
    pattern:
      /\b(zone|record|object|namespace|value|name|CNAME|finalizer)s? (goes|went)\b(?! (to|on|through|into|by|back)\b)/,
    advice: 'is deleted, is removed',
  },
  { name: 'left-out', pattern: /\b(left|leaves|leaving) (it |them )?out\b/i, advice: 'omit' },
  { name: 'take-away', pattern: /\b(takes?|taken|took|taking) (it |them )?away\b/i, advice: 'remove, delete, revoke' },
  {
    name: 'is-no',
    pattern:
      /\b(?<!\bthere ((may|can|could|must|should|will|would) )?)(is|are|was|were|be|been) no (?!(longer|more|less|later|earlier|fewer|other|better|worse|different)\b)[\w"'“`]/i,
    advice: 'is not a …: "the text is not an address", not "is no address"',
  },
  {
    name: 'no-default',
    pattern:
      /\bDefault: (another|any|it|they|there|none|no|not|nothing|nowhere|nobody|does|unknown|all[.;)]|of all\b|(the|a|every|all) ([\w-]+ ){1,4}(has|have|takes?|stays?|permits|belongs|does not|is not|are not|is accepted|are accepted|counts)\b)(?=\W)/,
    advice: 'a default is a value; else "Absent: …", "Null: …", "If omitted, …", or nothing for an optional field',
  },
  {
    name: 'nobody',
    pattern: /\b(no|some|every|any)body\b/i,
    advice: 'name the actor: "another client", "no replica", "every account", or use the passive: "was not changed"',
  },
  { name: 'without-a-word', pattern: /\bwithout a word\b/i, advice: 'silently, without an error' },
  {
    name: 'ends-in-order',
    pattern: /\b(ends?|ended|ending|exits?|exited|stops?|stopped) in order\b(?! to\b)/i,
    advice: 'shuts down gracefully, ends normally',
  },
  { name: 'suffer', pattern: /\bsuffers?\b/i, advice: 'allow, permit' },
  { name: 'is-away', pattern: /\b(is|are|was|were|be|been) away\b(?! from)/i, advice: 'is down, is unreachable' },
  {
    name: 'replace-by',
    pattern: /\b(replace|replaces|replacing) [^.;:|,]{1,60}? by (?!batch\b)/i,
    advice: 'replace … with …',
  },
  { name: 'for-so-long', pattern: /\bfor so long\b(?! (that|as))/i, advice: 'for that time, for this long' },
  {
    name: 'of-others',
    pattern: /\b(name servers?|programs?|clients?|secondaries|servers) of others\b/i,
    advice: 'a third-party name server, third-party programs',
  },
  { name: 'go-and-come', pattern: /\bgo and come\b/i, advice: 'a diff; what it removes and adds' },
  {
    name: 'ends-by-itself',
    pattern:
      /\b(takes? over|continues?|retries|retry|tries again|recovers?|ends?|renews (the )?signatures) by itself\b/i,
    advice: 'automatically',
  },
  {
    name: 'cannot-be-had',
    pattern: /\b(can|cannot|could|not|to) be had\b/i,
    advice: 'is not available, cannot be acquired',
  },
];
