import { removeStack, type StackDescription, writeStack } from '../stack-file.ts';

/** Where commands and tests find the stack of a home: `stack.json`, kept as it is. */
export class Announcement {
  readonly #homeDir: string;
  readonly #describe: () => StackDescription;
  #isMade = false;
  #isOver = false;
  #written: Promise<void> = Promise.resolve();

  constructor(homeDir: string, describe: () => StackDescription) {
    this.#homeDir = homeDir;
    this.#describe = describe;
  }

  get isMade(): boolean {
    return this.#isMade;
  }

  /** One write after the other, each with what is true when its turn comes. */
  write(): Promise<void> {
    this.#isMade = true;
    this.#written = this.#written
      .catch(() => undefined)
      .then(async () => {
        if (!this.#isOver) await writeStack(this.#homeDir, this.#describe());
      });
    return this.#written;
  }

  /** Nothing more is written. */
  end(): void {
    this.#isOver = true;
  }

  /** After what is being written; rejects when it cannot be removed. */
  async remove(): Promise<void> {
    this.end();
    await this.#written.catch(() => undefined);
    await removeStack(this.#homeDir);
  }
}
