/** Runs tasks of one key one after another, of different keys side by side. */
export class KeyedLanes {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const running = before ? before.then(task, task) : task();
    this.#tails.set(key, running);
    try {
      return await running;
    } finally {
      if (this.#tails.get(key) === running) this.#tails.delete(key);
    }
  }
}
