// The time format of Leases and Events.

/** metav1.MicroTime: the API server insists on six digits after the second. */
export function microTime(time: Date): string {
  return `${time.toISOString().slice(0, -1)}000Z`;
}
