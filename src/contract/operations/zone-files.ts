// The REST API of zone files.
import { RECORD_CHANGE_ERRORS } from '../error.ts';
import { operation } from '../operation.ts';
import { zoneParams } from '../zone.ts';
import { ZONE_FILE_TYPE, zoneFile, zoneFileBody, zoneFileImport } from '../zonefile.ts';

export const exportZoneFile = operation({
  id: 'exportZoneFile',
  method: 'GET',
  path: '/v1/dns/zones/{id}/zonefile',
  tag: 'records',
  summary: 'Export the records of a zone as a zone file',
  description:
    'The file contains the SOA and NS records of the apex and the NS and DS records of child zones hosted here, so that name servers and their tools can load it. ALIAS is not a type of the DNS: ALIAS records are comments that begin with `;zonestead:`, and an import reads them. A long file is sent in chunks, without Content-Length. The service closes the connection of a client that reads nothing for 10 seconds, or less than 64 KiB a second.',
  needs: 'records:read',
  produces: [ZONE_FILE_TYPE],
  params: zoneParams,
  answers: { 200: zoneFile },
  errors: ['forbidden', 'no_zone', 'precondition_failed', 'busy'],
  tagged: true,
});

export const importZoneFile = operation({
  id: 'importZoneFile',
  method: 'PUT',
  path: '/v1/dns/zones/{id}/zonefile',
  tag: 'records',
  summary: 'Replace the records of a zone with those of a zone file',
  description:
    'The import makes all changes or none. A refusal names up to 20 wrong lines. Records that do not change keep their ids. Lines for records that the service creates itself (SOA and NS of the apex, NS and DS of child zones hosted here, DNSSEC) are ignored. $INCLUDE and $GENERATE are refused. Each changed record counts as one record write; a file counts at least as one write for each 256 KiB begun, and at most as half of the limit of the key. A file may have 100000 records. The service plans a few imports at once, one for each team. Others wait, and are answered `busy` after 20 seconds. If-Match takes the ETag of the zone file, or of the list of the records, that you compared your file with: if anything changed since then, the answer is 412. If changed or deleted records have owners, which may revert the change, the header Zonestead-Owners names them.',
  needs: 'records:write',
  counts: { bucket: 'records', changes: 'operation' },
  consumes: [ZONE_FILE_TYPE, 'text/plain'],
  params: zoneParams,
  body: zoneFileBody,
  answers: { 200: zoneFileImport },
  errors: RECORD_CHANGE_ERRORS,
});
