export interface AutomationsBenchOptions {
  readonly rounds: number;
  readonly durationMs: number;
  /** Timers that wait, and runs that are listed. */
  readonly rows: number;
}

/** One line of the table of runs; medians over the rounds. */
export interface RunsBenchRow {
  readonly flow: string;
  readonly variant: string;
  readonly runsPerSecond: number;
  readonly stepsPerSecond: number;
  readonly ratioToDbos: number;
}

/** What is measured of the platform alone. */
export interface FigureRow {
  readonly figure: string;
  readonly value: string;
  readonly target: string;
}

export interface AutomationsBenchResults {
  readonly runs: readonly RunsBenchRow[];
  readonly figures: readonly FigureRow[];
}
