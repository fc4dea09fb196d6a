import type { FastifyReply } from 'fastify';

/** The open answer of a feed. */
export class FeedStream {
  readonly #raw: FastifyReply['raw'];
  readonly #stalledMs: number;
  #isOver = false;
  #isWoken = false;
  #stopResting: (() => void) | undefined;

  /** A client that takes nothing for `stalledMs` is gone. */
  constructor(reply: FastifyReply, headers: Readonly<Record<string, string>>, stalledMs: number) {
    this.#stalledMs = stalledMs;
    reply.hijack();
    this.#raw = reply.raw;
    this.#raw.socket?.setTimeout(0);
    this.#raw.on('close', () => this.#finish());
    this.#raw.on('error', () => this.#finish());
    const type = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' };
    for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...headers, ...type }))
      if (value !== undefined) this.#raw.setHeader(name, value);
    this.#raw.flushHeaders();
    // No event tells of a client that has left before.
    if (this.#raw.destroyed) this.#finish();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when the client has taken the text; false when it has left, or stopped reading. */
  async send(text: string): Promise<boolean> {
    if (this.#isOver || text === '' || this.#raw.write(text)) return !this.#isOver;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#raw.off('drain', done);
        this.#raw.off('close', done);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#raw.destroy();
        this.#finish();
        done();
      }, this.#stalledMs);
      this.#raw.on('drain', done);
      this.#raw.on('close', done);
    });
    return !this.#isOver;
  }

  /** There may be something new to send: ends `rest`. */
  wake(): void {
    this.#isWoken = true;
    this.#stopResting?.();
  }

  /** Resolves with true when woken (also before), with false after `ms` or when the feed is over. */
  async rest(ms: number): Promise<boolean> {
    if (!this.#isWoken && !this.#isOver)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#stopResting = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    const wasWoken = this.#isWoken;
    this.#isWoken = false;
    return wasWoken;
  }

  end(): void {
    if (!this.#raw.writableEnded) this.#raw.end();
    this.#finish();
  }

  #finish(): void {
    this.#isOver = true;
    this.#stopResting?.();
  }
}
