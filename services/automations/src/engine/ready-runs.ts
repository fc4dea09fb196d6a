/** A run that waits for a place. */
export interface ReadyRun {
  readonly runId: string;
  readonly accountId: number;
}

interface ClaimLimits {
  readonly limit: number;
  readonly maxPerAccount: number;
  /** What accounts hold already. */
  readonly taken: ReadonlyMap<number, number>;
}

/** The runs that are ready, as the log has them. */
export interface ReadyRuns {
  /**
   * Hands out runs that no other process is claiming, taking turns between accounts, oldest first within one; none of an
   * automation that has as many under way as it may. They are its own until `work` has settled; the append decides.
   */
  claim(limits: ClaimLimits, work: (runs: readonly ReadyRun[]) => Promise<void>): Promise<void>;
}
