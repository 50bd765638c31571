// The parts of a cursor: `<epoch>:<xid>`. Every transaction before the xid was told. Nodes must not take a cursor apart.

/** The longest cursor of the contract. */
const LONGEST = 200;
const FORM = /^([!-~]+):([0-9]{1,20})$/;

export interface Position {
  /** The database and its timeline. */
  epoch: string;
  xid: bigint;
}

/** Null: the text is not a cursor. */
export function parseCursor(text: string): Position | null {
  const [, epoch, xid] = (text.length <= LONGEST && FORM.exec(text)) || [];
  if (epoch === undefined || xid === undefined) return null;
  const number = BigInt(xid);
  return number < 1n << 64n ? { epoch, xid: number } : null;
}
