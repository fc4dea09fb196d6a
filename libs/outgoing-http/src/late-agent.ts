import { loadedLate } from '@parley/process-kit';
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
  readonly #open: () => Promise<Opened>;
  #agent: Agent | undefined;
  #isOver = false;

  constructor(optionsOf: (undici: Undici) => Agent.Options) {
    this.#open = loadedLate(async () => {
      const undici = await import('undici');
      const agent = new undici.Agent(optionsOf(undici));
      this.#agent = agent;
      if (this.#isOver) await agent.close();
      return { undici, agent };
    });
  }

  async request(
    url: string | URL,
    options: Parameters<Undici['request']>[1],
  ): Promise<Dispatcher.ResponseData<unknown>> {
    const { undici, agent } = await this.#open();
    return undici.request(url, { ...options, dispatcher: agent });
  }

  /** When what is under way has ended. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#agent?.close();
  }

  /** Ends what is under way. */
  async destroy(): Promise<void> {
    this.#isOver = true;
    await this.#agent?.destroy();
  }
}
