// How much is asked of a connection pool. The driver tells nothing of it, so what is asked is counted: lone statements and
// whole transactions. It must not know statements.
import type { Sql } from 'postgres';

/** The same client, counted. `work` is how many statements and transactions have a connection or wait for one. */
export function countWork(sql: Sql): { counted: Sql; work(): number } {
  let work = 0;
  const done = () => {
    work -= 1;
  };
  const counted = new Proxy(sql, {
    get(target, property) {
      if (property === 'begin') {
        return (...args: Parameters<Sql['begin']>) => {
          work += 1;
          return (target.begin(...args) as Promise<unknown>).finally(done);
        };
      }
      if (property === 'unsafe') {
        return (...args: Parameters<Sql['unsafe']>) => {
          // A statement is sent when it is first awaited, which drizzle does at once; awaiting it here would fix its form.
          const query = target.unsafe(...args) as unknown as Settling;
          const { resolve, reject } = query;
          work += 1;
          query.resolve = (value) => {
            done();
            resolve(value);
          };
          query.reject = (error) => {
            done();
            reject(error);
          };
          return query;
        };
      }
      return Reflect.get(target, property);
    },
  });
  return { counted, work: () => work };
}

/** How the driver ends a statement. */
interface Settling {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Must run the work once, and give its answer or throw. */
export type Around = <T>(work: () => Promise<T>) => Promise<T>;

/** The same client, every transaction with `around` about it. */
export function aroundTransactions(sql: Sql, around: Around): Sql {
  return new Proxy(sql, {
    get(target, property) {
      if (property !== 'begin') return Reflect.get(target, property);
      return (...args: Parameters<Sql['begin']>) => around(() => target.begin(...args) as Promise<unknown>);
    },
  });
}
