// Whether the check of a record says that its address does not work. Answers are rendered from this at each read, and
// no row of a record is written when an address fails: a record that is written at the same moment cannot miss it.

/** SQL of a boolean. @param alias the name of the row; its zone is looked up only for a record with a check */
export function isFailing(alias: string): string {
  return `coalesce(${alias}.health ->> 'check' is not null and exists (select from check_targets t join zones tz
    on t.owner = coalesce(tz.team_id, tz.user_id) where tz.no = ${alias}.zone_no and t.check_name = ${alias}.health ->> 'check'
      and t.address = ${alias}.rdata and t.down), false)`;
}
