import type { EventStore, SqlExecutor } from '@parley/event-store';
import type { OnProblem } from '../problem.ts';
import type { WorkInHand } from '../work-in-hand.ts';

/** What every reactor of a service runs in. */
export interface ReactorEnvironment {
  readonly store: EventStore;
  /** For what is over in a moment. */
  readonly sql: SqlExecutor;
  readonly onProblem: OnProblem;
  readonly inHand: WorkInHand;
}
