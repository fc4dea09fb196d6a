/** Milliseconds to wait before attempt `failures + 1`: doubling from 50 ms to 5 s, at least half of it at random. */
export function jitteredBackoffMs(failures: number): number {
  const full = Math.min(5000, 50 * 2 ** Math.min(failures - 1, 10));
  return full * (0.5 + Math.random() / 2);
}
