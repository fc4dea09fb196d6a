/** A run that waits for a place. */
export interface ReadyRun {
  readonly runId: string;
  readonly accountId: number;
}

interface ClaimLimits {
  /** How many runs to hand out at most. */
  readonly limit: number;
  readonly maxPerAccount: number;
  /** Places taken in this process, by account id. */
  readonly taken: ReadonlyMap<number, number>;
  /** Ids of runs that are not handed out. */
  readonly except: readonly string[];
}

/** The runs that are ready, as the view has them. */
export interface ReadyRuns {
  /**
   * Hands out ready runs: accounts take turns, the oldest run of an account first, and an automation gets no more than
   * it may have under way. Until `work` has settled, no other process is handed runs of the same automations; the
   * append of a run's next event decides who has it.
   */
  claim(limits: ClaimLimits, work: (runs: readonly ReadyRun[]) => Promise<void>): Promise<void>;
}
