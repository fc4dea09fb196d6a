import type { Agent, Dispatcher } from 'undici';

type Undici = typeof import('undici');
interface Opened {
  readonly undici: Undici;
  readonly agent: Agent;
}

/**
 * Connections of undici's, which is loaded with the first request: that takes a tenth of the start of a service, and 25 MB.
 * Once it is closed or destroyed, requests reject with undici's own codes for that.
 */
export class LateAgent {
  readonly #optionsOf: (undici: Undici) => Agent.Options;
  #opened: Promise<Opened> | undefined;
  #isOver = false;

  constructor(optionsOf: (undici: Undici) => Agent.Options) {
    this.#optionsOf = optionsOf;
  }

  async request(
    url: string | URL,
    options: Parameters<Undici['request']>[1],
  ): Promise<Dispatcher.ResponseData<unknown>> {
    this.#opened ??= this.#open();
    const { undici, agent } = await this.#opened;
    return undici.request(url, { ...options, dispatcher: agent });
  }

  /** When what is under way has ended. */
  async close(): Promise<void> {
    this.#isOver = true;
    await (await this.#opened)?.agent.close();
  }

  /** Ends what is under way. */
  async destroy(): Promise<void> {
    this.#isOver = true;
    await (await this.#opened)?.agent.destroy();
  }

  async #open(): Promise<Opened> {
    const undici = await import('undici').catch((error) => {
      // As where this process may open no more files: the next request tries anew.
      this.#opened = undefined;
      throw error;
    });
    const agent = new undici.Agent(this.#optionsOf(undici));
    if (this.#isOver) await agent.close();
    return { undici, agent };
  }
}
