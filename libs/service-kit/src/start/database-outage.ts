import type { Logger } from '@parley/process-kit';
import { pause } from '@parley/processing';

/** Milliseconds between two looks whether the database is back. */
const lookAgainMs = 500;

/**
 * What the log says of an outage of the database: a warning when it begins and a line when it is over, however many
 * connections it breaks and however much work it stops. What else fails meanwhile is told at `debug`.
 */
export class DatabaseOutage {
  readonly #logger: Logger;
  readonly #ask: () => Promise<unknown>;
  readonly #closing: AbortSignal;
  #isOn = false;

  /** `ask` rejects while the database takes no connection. */
  constructor(logger: Logger, ask: () => Promise<unknown>, closing: AbortSignal) {
    this.#logger = logger;
    this.#ask = ask;
    this.#closing = closing;
  }

  /** Tells of a failure that may be the first of an outage, or one more of it. */
  tell(fields: object & { err: unknown }, sentence: string): void {
    this.#logger[this.#isOn ? 'debug' : 'warn'](fields, sentence);
    if (!this.#isOn) void this.#waitForEnd();
  }

  async #waitForEnd(): Promise<void> {
    this.#isOn = true;
    const beganAt = performance.now();
    const isAway = () =>
      this.#ask().then(
        () => false,
        () => true,
      );
    let wasAway = false;
    while (!this.#closing.aborted && (await isAway())) {
      wasAway = true;
      await pause(lookAgainMs, this.#closing);
    }
    this.#isOn = false;
    if (!wasAway || this.#closing.aborted) return;
    const away_seconds = Math.round((performance.now() - beganAt) / 1_000);
    this.#logger.info({ away_seconds }, 'the database answers again');
  }
}
