import { type Projection, type ReadLog, readLogOf } from '@parley/processing';
import type { Background, ServiceDefinition } from '../service-definition.ts';

export interface KnownProjection {
  readonly projection: Projection;
  readonly read?: ReadLog;
}

/** The ones every append writes, and those that follow a log by themselves: perhaps another service's. */
export function knownProjections(
  { projections }: ServiceDefinition,
  { processors = [] }: Background,
): KnownProjection[] {
  const following = processors.flatMap((processor) => {
    if (processor.kind !== 'projection') return [];
    const { projection, source } = processor;
    return [source ? { projection, read: readLogOf(source, projection) } : { projection }];
  });
  return [...projections.map((projection) => ({ projection })), ...following];
}
