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
  /** Runs that are left alone. */
  readonly except: readonly string[];
}

/** The runs that are ready, as the log has them. */
export interface ReadyRuns {
  /**
   * Hands out runs, taking turns between accounts, oldest first within one; never more of an automation than it may have
   * under way. Until `work` has settled no other process is handed any of the same automations; the append decides.
   */
  claim(limits: ClaimLimits, work: (runs: readonly ReadyRun[]) => Promise<void>): Promise<void>;
}
