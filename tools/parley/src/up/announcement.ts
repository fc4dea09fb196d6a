import { removeStack, type StackDescription, writeStack } from '../stack-file.ts';

/** The file `stack.json` of a home, by which commands and tests find its stack; kept up to date. */
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

  /** Writes the file after earlier writes, with the description as it is then. */
  write(): Promise<void> {
    this.#isMade = true;
    this.#written = this.#written
      .catch(() => undefined)
      .then(async () => {
        if (!this.#isOver) await writeStack(this.#homeDir, this.#describe());
      });
    return this.#written;
  }

  /** Ends writing: later writes do nothing. */
  end(): void {
    this.#isOver = true;
  }

  /** Removes the file after the write that is under way; rejects when it cannot be removed. */
  async remove(): Promise<void> {
    this.end();
    await this.#written.catch(() => undefined);
    await removeStack(this.#homeDir);
  }
}
