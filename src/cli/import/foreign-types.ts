// Types that other services invented. They are not in the DNS. Pure.

interface OtherType {
  type: string;
  message: string;
}

/** The type that the service has for the same purpose, with a sentence; null if the type is served as it is. */
export function convertForeignType(type: string, isApex: boolean): OtherType | null {
  if (type === 'ANAME') return { type: 'ALIAS', message: 'ANAME becomes ALIAS.' };
  if (type === 'CNAME' && isApex) {
    return { type: 'ALIAS', message: 'The CNAME at the zone itself becomes ALIAS, because SOA and NS are next to it.' };
  }
  return null;
}

const REDIRECT = 'is a redirect of web pages, which needs a web server; write the A and AAAA records of that server.';
const REMARKS: Readonly<Record<string, string>> = {
  LUA: 'LUA is a program of PowerDNS; write the records that it answers, or ALIAS with the name of a host.',
  AWS: 'AWS is an alias of Route 53; write ALIAS with the name that it points to.',
  R53: 'R53 is an alias of Route 53; write ALIAS with the name that it points to.',
  URL: `URL ${REDIRECT}`,
  URL301: `URL301 ${REDIRECT}`,
  URLFWD: `URLFWD ${REDIRECT}`,
  FRAME: `FRAME ${REDIRECT}`,
  REDIRECT: `REDIRECT ${REDIRECT}`,
  MAILFWD: 'MAILFWD forwards mail, which needs a mail server; write the MX records of that server.',
  MXE: 'MXE is an MX record with an address; write an A record for a name, and an MX record with this name.',
};

/** A sentence about a type that has no place here, with the accepted form; null for all other types. */
export function remarkOnType(type: string): string | null {
  return REMARKS[type] ?? null;
}
