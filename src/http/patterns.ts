// The patterns of routes, in the form of the contract and in that of the router.

/**
 * The pattern of a route as the contract writes it. The router (find-my-way) requires a double colon for a colon that
 * begins no parameter, and the form of a parameter that such a colon follows.
 */
export function toRoutePattern(url: string): string {
  return url.replaceAll(UNTIL_COLON, '').replaceAll('::', ':');
}

/** The form of a parameter that ends before a colon. */
export const UNTIL_COLON = '([^:/]+)';
