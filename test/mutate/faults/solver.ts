// Faults in the solver: whom it believes, and whose a request is.
import type { Fault } from '../fault.ts';

const unit = { project: 'unit', tests: ['test/unit/solver'] } as const;

export const SOLVER_FAULTS: readonly Fault[] = [
  {
    name: 'solver-chain',
    breaks: 'an expired client certificate is believed',
    edits: [
      {
        file: 'src/solver/front-proxy.ts',
        find: '  if (!isValidAt(certificate, now)) return false;\n',
        replace: '',
      },
    ],
    ...unit,
  },
  {
    name: 'solver-access-kept',
    breaks: 'a right that was seen once is cached forever',
    edits: [
      {
        file: 'src/solver/access.ts',
        find: 'before !== undefined && before.until > clock.now()',
        replace: 'before !== undefined',
      },
    ],
    ...unit,
  },
  {
    name: 'solver-access-key',
    breaks: 'a right is cached by user name, without the groups of the user',
    edits: [
      {
        file: 'src/solver/access.ts',
        find: 'const key = JSON.stringify(user);',
        replace: 'const key = user.username;',
      },
    ],
    ...unit,
  },
  {
    name: 'solver-order',
    breaks: "a Challenge with a forged owner reference (no controller) counts as an Order's",
    edits: [
      {
        file: 'src/solver/challenge.ts',
        find: " && kind === 'Order' && controller === true",
        replace: " && kind === 'Order' && controller !== null",
      },
    ],
    ...unit,
  },
];
