import type { Reactor } from '@parley/processing';
import type { Background } from '../service-definition.ts';

/** Those of process managers, too. */
export const knownReactors = ({ processors = [] }: Background): readonly Reactor[] =>
  processors.flatMap((processor) => {
    switch (processor.kind) {
      case 'reactor':
        return [processor];
      case 'process-manager':
        return [processor.reactor];
      case 'projection':
        return [];
      default:
        return processor satisfies never;
    }
  });
