// Faults in the rule that a record is judged by the name that it proves control of.
import type { Fault } from '../fault.ts';

const RULE = 'src/dns/names/certified.ts';
const UNIT = ['test/unit/dns/certified.test.ts'];

const fault = (
  name: string,
  breaks: string,
  file: string,
  [find, replace]: readonly [string, string],
  [project, tests]: readonly [Fault['project'], readonly string[]] = ['unit', UNIT],
): Fault => ({ name: `proof-${name}`, breaks, edits: [{ file, find, replace }], project, tests });

export const PROOF_NAME_FAULTS: readonly Fault[] = [
  fault('label', 'a challenge is judged by its own name', RULE, [
    'if (at >= 0) return [provenBy(labels, at)];',
    'if (at >= 0) return [{ name }];',
  ]),
  fault('persistent', 'a persistent proof is judged by its own name', RULE, [
    '[CHALLENGE_LABEL, PERSISTENT_LABEL]',
    '[CHALLENGE_LABEL]',
  ]),
  fault('below', 'only the name of the challenge itself is judged, and none below it', RULE, [
    'labels.findLastIndex((label) => PROOF_LABELS.includes(label))',
    "PROOF_LABELS.includes(labels[0] ?? '') ? 0 : -1",
  ]),
  fault('underscore', 'a CNAME for another method of validation is judged by its own name', RULE, [
    "if (first.startsWith('_')) return [provenBy(labels, 0)];\n",
    '',
  ]),
  fault('wildcard', 'a wildcard that answers for a challenge needs no permission for the name', RULE, [
    "return first === '*' ? [{ name }, { name: labels.slice(1).join('.') || '@' }] : [{ name }];",
    'return [{ name }];',
  ]),
  fault('wildcard-itself', 'a wildcard is permitted to those who may write the name above it', RULE, [
    "return first === '*' ? [{ name }, {",
    "return first === '*' ? [{",
  ]),
  fault('wildcard-address', 'a wildcard address needs permission for the name above it', RULE, [
    "if (!PROOF_TYPES.has(type) || second.startsWith('_')) return [{ name }];",
    "if (second.startsWith('_')) return [{ name }];",
  ]),
  fault('spelled', 'a pattern that spells the label does not permit it', RULE, [
    ' ||\n    (judgedName.proof !== undefined && spellsProof(pattern, judgedName.proof))',
    '',
  ]),
  fault('star', 'a star counts as the text of the label', RULE, [
    'matchesPattern(pattern.slice(0, at), before) && matchesPattern(pattern.slice(at + label.length), after)',
    'matchesPattern(pattern, [before, label, after].join(""))',
  ]),
  fault(
    'key-all',
    'a key needs permission for one of the names of a wildcard',
    'src/service/accounts/actor.ts',
    ['.find((judgedName) => !isPermitted(judgedName));', '.findLast((judgedName, _, all) => !all.some(isPermitted));'],
    ['integration', ['test/integration/doors/acme/proof-names.test.ts']],
  ),
  fault(
    'read',
    'a key does not read the challenges that it may write',
    'src/service/keys/patterns.ts',
    ['...patterns, ...inFront, ', '...patterns, '],
    ['integration', ['test/integration/doors/acme/proof-names.test.ts']],
  ),
  fault(
    'grant',
    'a rule of a zone permits a record if it permits one of its names',
    'src/resources/record-grant.ts',
    ['judgedNames(name, type).every(isAllowed)', 'judgedNames(name, type).some(isAllowed)'],
    ['unit', ['test/unit/operator/proof-names.test.ts']],
  ),
  fault(
    'target',
    'a target of challenges permits the challenges of the name above it',
    'src/resources/acme-grant.ts',
    [
      '.every((judgedName) => spellsOneOf(targets, judgedName))',
      '.every((judgedName) => permitsOneOf(targets, judgedName))',
    ],
    ['unit', ['test/unit/operator/proof-names.test.ts']],
  ),
  fault(
    'trust',
    'two holders of a trust may write the challenges of one name',
    'src/service/trusts/shared-names.ts',
    ['(pattern) => [pattern, ...provenBy(pattern)]', '(pattern) => [pattern]'],
    ['unit', ['test/unit/service/trust-templates.test.ts']],
  ),
  fault(
    'trust-label',
    'the holder of a token chooses the label of a proof',
    'src/service/trusts/template.ts',
    ['if (!labels.some(isProof)) return null;', 'if (labels.length > 0) return null;'],
    ['integration', ['test/integration/service/trusts/attacks.test.ts']],
  ),
  fault(
    'trust-other-proofs',
    'two holders of a trust may write other proofs than challenges of one name',
    'src/service/trusts/shared-names.ts',
    ['|(?<=^\\\\**)_[a-z0-9_-]*)', ')'],
    ['unit', ['test/unit/service/trust-templates.test.ts']],
  ),
];
