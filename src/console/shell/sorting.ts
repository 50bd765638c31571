// The order of a list in its address: `sort=ttl`, or `sort=-ttl` for the opposite order. Pure.

export interface Sorting<Order extends string> {
  order: Order;
  descending: boolean;
  /** As in the address. */
  text: string;
}

/** The head of a column that sorts the list. */
export interface SortHead {
  address: string;
  /** The value of `aria-sort`; null: the list has another order. */
  sorted: 'ascending' | 'descending' | null;
}

/** @param sentOrder the text of the address; one that is not an order stands for the first order */
export function parseSorting<Order extends string>(
  sentOrder: unknown,
  orders: readonly [Order, ...Order[]],
): Sorting<Order> {
  const text = typeof sentOrder === 'string' ? sentOrder : '';
  const descending = text.startsWith('-');
  const order = orders.find((each) => each === (descending ? text.slice(1) : text));
  return order === undefined
    ? { order: orders[0], descending: false, text: orders[0] }
    : { order, descending, text: `${descending ? '-' : ''}${order}` };
}

/** The head of each column: a click on the column of the order turns the order around. */
export function sortHeads<Order extends string>(
  sorting: Sorting<Order>,
  orders: readonly Order[],
  { largestFirst, addressOf }: { largestFirst: readonly Order[]; addressOf: (sort: string) => string },
): Readonly<Record<Order, SortHead>> {
  return Object.fromEntries(
    orders.map((order): [Order, SortHead] => {
      const isCurrent = order === sorting.order;
      const descending = isCurrent ? !sorting.descending : largestFirst.includes(order);
      const sortDirection = !isCurrent ? null : sorting.descending ? 'descending' : 'ascending';
      return [order, { address: addressOf(`${descending ? '-' : ''}${order}`), sorted: sortDirection }];
    }),
  ) as Record<Order, SortHead>;
}

/** The choices of a field `sort`: each order as its column begins, and the current one as it is. */
export function sortChoices<Order extends string>(
  sorting: Sorting<Order>,
  labels: Readonly<Record<Order, string>>,
  largestFirst: readonly Order[],
): [string, string][] {
  return Object.entries<string>(labels).map(([order, label]) => {
    const first = largestFirst.includes(order as Order) ? `-${order}` : order;
    return [order === sorting.order ? sorting.text : first, label];
  });
}
