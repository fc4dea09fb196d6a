/** The middle value; the mean of the two middle ones for an even count. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Variants in turn, each round in the opposite order of the one before, so that a drift of the machine hits all alike. */
export async function interleave<T>(
  names: readonly string[],
  rounds: number,
  run: (name: string, round: number) => Promise<T>,
): Promise<Map<string, T[]>> {
  const results = new Map<string, T[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : [...names].reverse()) {
      results.get(name)?.push(await run(name, round));
    }
  }
  return results;
}
