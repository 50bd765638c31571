// The remedies for the refusals of the service, as texts for people.
import { ApiError } from '#client/errors.ts';
import { KeyUnreadable } from '#client/key.ts';

/** The canary cannot work until a person changes something. */
export class Misconfigured extends Error {
  override readonly name = 'Misconfigured';
}

/** @param place where the record is: zone, and name relative to it */
export function explainFailure(error: unknown, place: { zone: string; name: string }): Error {
  if (error instanceof KeyUnreadable || !(error instanceof ApiError)) {
    return error instanceof Error ? error : new Error(String(error));
  }
  const { status, code, message } = error;
  const rights = `--grant <id of ${place.zone}>=write --only-name ${place.name} --only-type TXT`;
  if (status === 401) {
    return new Misconfigured(
      `The service does not accept the key of the canary (${message}). Set ZONESTEAD_API_KEY to a key or a token that it accepts`,
    );
  }
  if (status === 403) {
    return new Misconfigured(
      `The key of the canary may not write TXT records at ${place.name} in ${place.zone} (${message}). Give it this right: ${rights}`,
    );
  }
  if (status === 404) {
    return new Misconfigured(
      `The key of the canary no longer sees the zone ${place.zone} (${message}). Create the zone again, or give the key its right: ${rights}`,
    );
  }
  if (code === 'conflict') {
    return new Misconfigured(
      `Records that are not the canary's are at ${place.name} in ${place.zone} (${message}). Delete them, or set ZONESTEAD_CANARY_NAME to another name`,
    );
  }
  return error;
}
