// The settings that only the canary reads.
import { hostName, recordLabel, wholeNumber } from './forms.ts';
import { preset, required } from './setting.ts';

export const CANARY_ONLY_SETTINGS = {
  ZONESTEAD_CANARY_ZONE: required(
    hostName,
    'The canary writes its records into this zone of the service. It needs no other records, and no delegation.',
  ),
  ZONESTEAD_CANARY_NAME: preset(
    recordLabel,
    'canary',
    'The record of the canary has this name in its zone. Each canary of a zone, for instance one in each region, needs a different one.',
  ),
  ZONESTEAD_CANARY_CHANGE_SECONDS: preset(
    wholeNumber(5, 3_600),
    '10',
    'The canary makes a change every so many seconds. Each change is one entry of the history of the zone.',
  ),
  ZONESTEAD_CANARY_QUERY_SECONDS: preset(
    wholeNumber(1, 3_600),
    '5',
    'The canary asks each address over UDP and over TCP for its keys, its SOA record and the value every so many seconds.',
  ),
  ZONESTEAD_CANARY_LIMIT_SECONDS: preset(
    wholeNumber(5, 300),
    '30',
    'A change that an address does not answer within this many seconds is late, and an older value is wrong then.',
  ),
  ZONESTEAD_CANARY_CHALLENGE_MINUTES: preset(
    wholeNumber(0, 1_440),
    '10',
    'The canary presents a challenge of an ACME client every so many minutes, and removes it. With 0, it never does.',
  ),
};
