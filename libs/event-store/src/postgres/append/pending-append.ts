import type { AppendResult } from '../../port.ts';
import type { PreparedAppend } from '../../prepare-append.ts';

/** An append that waits for its turn or is in flight. */
export interface PendingAppend extends PreparedAppend {
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: unknown) => void;
  /** Node's monotonic clock, milliseconds: patience, not a decision. */
  readonly giveUpAt: number;
  /** An earlier try may have been written: what refuses this one may be that one. */
  mayBeWritten: boolean;
  runsAgain: number;
}
