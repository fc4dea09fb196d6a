import type { JsonValue } from '../json.ts';

/** What makes a run. The same event of the same automation makes one run, however often it is told. */
export interface StartRun {
  readonly automationId: number;
  readonly trigger: {
    readonly type: string;
    /** Unique among the events that trigger this automation; any text. */
    readonly eventId: string;
    readonly payload: JsonValue;
  };
  /** 0, or one more than that of the run that caused the event. */
  readonly chainDepth: number;
  readonly correlationId: string;
}

export type RunStart =
  | { readonly kind: 'started' | 'known'; readonly runId: string }
  | {
      readonly kind: 'refused';
      readonly reason: 'not_found' | 'inactive' | 'chain_too_deep' | 'payload_too_large';
    };

export interface RunStarter {
  start(request: StartRun): Promise<RunStart>;
}
