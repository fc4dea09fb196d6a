import type { Reactor } from '@parley/processing';
import type { Background } from '../service-definition.ts';

export const knownReactors = ({ processors = [] }: Background): readonly Reactor[] =>
  processors.filter((processor) => processor.kind === 'reactor');
