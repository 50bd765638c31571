// The field for the denial of names, in the form of a new zone and in the settings of a zone.
import { DENIALS } from '#dns/dnssec/denial.ts';

/** Values of the templates. */
export const denialField = {
  denials: DENIALS.map((denial) => [denial, denial]),
  denialHint: 'NSEC3 makes it an effort to list the names of the zone, and its negative answers are larger.',
};
