// The anchor of a heading: the same on the site as on GitHub, so that one link works at both.

/** @param heading its text as it is shown, without backticks and addresses of links */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}
