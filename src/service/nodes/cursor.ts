// The parts of a cursor: `<epoch>:<xmin>`, or `<epoch>:<xmin>:<xmax>:<transactions in progress>`. The transactions that
// the second part shows as ended were told. Nodes must not take a cursor apart.

/** The longest cursor of the contract. */
export const LONGEST_CURSOR = 200;
const FORM = /^([^\s:\p{C}]+):([0-9]{1,19})(?::([0-9]{1,19}):([0-9,]*))?$/u;
const LIST = /^(?:[0-9]{1,19}(?:,[0-9]{1,19})*)?$/;

export interface Position {
  /** The database and its timeline. */
  epoch: string;
  /** Every transaction before this one was told. */
  xid: bigint;
  /** The same, with the transactions after it that were told as well: a pg_snapshot. */
  snapshot: string;
}

/** Null: the text is not a cursor. */
export function parseCursor(text: string): Position | null {
  const [, epoch, xmin, xmax = xmin, list = ''] = (text.length <= LONGEST_CURSOR && FORM.exec(text)) || [];
  if (epoch === undefined || xmin === undefined || xmax === undefined || !LIST.test(list)) return null;
  const [from, to] = [BigInt(xmin), BigInt(xmax)];
  const runningXids = list === '' ? [] : list.split(',').map(BigInt);
  // Postgres refuses any other order.
  const isOrdered = runningXids.every(
    (xid, at) => xid >= from && xid < to && (at === 0 || xid > (runningXids[at - 1] ?? 0n)),
  );
  if (from === 0n || from > to || to >= 1n << 63n || !isOrdered) return null;
  return { epoch, xid: from, snapshot: `${from}:${to}:${runningXids.join(',')}` };
}
