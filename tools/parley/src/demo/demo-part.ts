import type { z } from 'zod';
import type { DemoPartName } from './part-names.ts';

/** What a part of the demo works with: the public API, as the first account, and the sandbox. */
export interface DemoContext {
  /** Posts under an `Idempotency-Key` made of `name`: effective once, however often the demo is made. */
  post(path: string, body: unknown, name: string): Promise<void>;
  put(path: string, body: unknown): Promise<void>;
  get<T>(path: string, answer: z.ZodType<T>): Promise<T>;
  /** Calls the sandbox's control API; `path` is such as `chat/senders`. */
  control(path: string, body: unknown): Promise<void>;
}

/** One domain's share of the demo. A new one is a file beside this one, and a line in `parts.ts` and `part-names.ts`. */
export interface DemoPart {
  readonly name: DemoPartName;
  seed(context: DemoContext): Promise<void>;
}
