import type { DemoPartName } from './part-names.ts';

/** What a part of the demo works with: the public API, as the first account. */
interface DemoContext {
  /** Effective once under `name`, however often the demo is made. */
  post(path: string, body: unknown, name: string): Promise<void>;
}

/** One domain's share of the demo. A new one is a file beside this one, and a line in `parts.ts` and `part-names.ts`. */
export interface DemoPart {
  readonly name: DemoPartName;
  seed(context: DemoContext): Promise<void>;
}
