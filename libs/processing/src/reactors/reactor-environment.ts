import type { EventStore, SqlExecutor } from '@parley/event-store';
import type pg from 'pg';
import type { OnProblem } from '../problem.ts';
import type { EventsInHand } from './events-in-hand.ts';

/** What every reactor of a service runs in. */
export interface ReactorEnvironment {
  readonly store: EventStore;
  readonly pool: pg.Pool;
  /** The pool, for what is over in a moment. */
  readonly sql: SqlExecutor;
  readonly pollMs: number;
  readonly onProblem: OnProblem;
  readonly inHand: EventsInHand;
}
