import type { Provider, Type } from '@nestjs/common';
import type { ServiceName } from '@parley/contracts';
import type { EventStore, RecordedEvent, SqlExecutor, TimerRequest } from '@parley/event-store';
import type { BusClient } from '@parley/message-bus';
import type { Logger } from '@parley/process-kit';
import type {
  EventSource,
  OnProblem,
  OwnershipKeeper,
  Projection,
  Reactor,
  TimerHandler,
} from '@parley/processing';
import type pg from 'pg';
import type { z } from 'zod';
import type { ServiceConfig } from './config.ts';
import type { EndDealings } from './erasing/erase-person.ts';
import type { Resource } from './resources/resource.ts';

/** A service as its slices make it; `runService` turns it into a process, `startService` into one of several. */
export interface ServiceDefinition<Config extends ServiceConfig = ServiceConfig> {
  readonly name: ServiceName;
  /** Its controllers and providers; everything of `tokens.ts`, and `Aggregates`, can be injected. */
  readonly module: Type<unknown>;
  /** When it has keys of its own: `serviceConfig`, extended. The result is injected as `CONFIG`. */
  readonly config?: z.ZodObject & z.ZodType<Config>;
  /** Views written in the transaction of the append: after the answer every copy of the service reads the change. */
  readonly projections: readonly Projection[];
  /** What `parley audit` and `parley state` can look at. */
  readonly resources: readonly Resource[];
  /** What goes on beside requests; of all copies, one runs each reactor, and all share the timers. */
  background?(parts: BackgroundParts<Config>): Background;
}

export interface Background {
  readonly reactors?: readonly Reactor[];
  /** By timer kind. */
  readonly timers?: Readonly<Record<string, TimerHandler>>;
  /** What the module's classes have injected from it, where requests and timers must work with the same one. */
  readonly provided?: readonly Provider[];
  /** What must not go on about a person who is erased. */
  readonly endDealings?: EndDealings;
  /** Set when an account comes from another installation: timers do not travel with events. */
  readonly standingTimers?: readonly StandingTimers[];
  /** Ends what these have started; called when reactors and timers have stopped, with the store still open. */
  readonly close?: () => Promise<unknown>;
}

/** Timers that a stream has for as long as it is in some state. */
export interface StandingTimers {
  /** What begins that state: the stream's last such event counts. */
  readonly types: readonly string[];
  /** What ends it; where that does not say so, `of` does. */
  readonly endedBy?: readonly string[];
  /** For the stream of the event as it is now. */
  readonly of: (event: RecordedEvent) => readonly TimerRequest[] | Promise<readonly TimerRequest[]>;
}

/** What background work stands on. */
export interface BackgroundParts<Config extends ServiceConfig = ServiceConfig> {
  readonly bus: BusClient;
  /** Aborts when the process begins to end: what fails then is not tried again. */
  readonly closing: AbortSignal;
  readonly config: Config;
  /** Another service's log, for reactors; quiet while that service is not there. */
  readonly eventsOf: (service: ServiceName) => EventSource;
  readonly logger: Logger;
  /** For work that is neither a reactor nor a timer; of those problems are told by themselves. */
  readonly onProblem: OnProblem;
  /** Decides which of all copies does what. */
  readonly ownership: OwnershipKeeper;
  /** For transactions; whoever asks it anything says how long to wait for the answer. */
  readonly pool: pg.Pool;
  /** The pool, for look-ups: with no answer in time they fail, and are tried again on another connection. */
  readonly sql: SqlExecutor;
  readonly store: EventStore;
}
