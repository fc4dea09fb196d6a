import type { Type } from '@nestjs/common';
import type { ServiceName } from '@parley/contracts';
import type { Upcaster } from '@parley/event-store';
import type { Projection } from '@parley/processing';
import type { Resource } from './resource.ts';

/** A service as its slices make it; `runService` turns it into a process, `startService` into one of several. */
export interface ServiceDefinition {
  readonly name: ServiceName;
  /** Its controllers and providers; everything of `tokens.ts`, and `Aggregates`, can be injected. */
  readonly module: Type<unknown>;
  /** Views written in the transaction of the append: after the answer every copy of the service reads the change. */
  readonly projections: readonly Projection[];
  /** What `parley audit` and `parley state` can look at. */
  readonly resources: readonly Resource[];
  readonly upcasters?: readonly Upcaster[];
}
