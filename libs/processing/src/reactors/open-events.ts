import { KeyedLanes, payloadLength, type RecordedEvent } from '@parley/event-store';

/** So many wait in memory at once, and of that size at most: the log is read on only when one of them is done. */
const maxOpen = 10_000;
const maxCharacters = 64 * 1024 * 1024;

/** Events that are being reacted to in lanes, in the order of the log. */
export class OpenEvents {
  readonly #lanes = new KeyedLanes();
  /** By position; what is not done because the work was to stop stays here. */
  readonly #open = new Map<number, Promise<void>>();
  readonly #onFailed: () => void;
  /** Of what is open, as JSON. */
  #characters = 0;
  #onRoom: () => void = () => undefined;
  #failure: { readonly error: unknown } | undefined;

  /** `onFailed` is called when a reaction rejects: no other is to begin. */
  constructor(onFailed: () => void) {
    this.#onFailed = onFailed;
  }

  /** Everything up to here that was added is done; infinite when nothing is open. */
  get doneUpTo(): number {
    const [oldest = Number.POSITIVE_INFINITY] = this.#open.keys();
    return oldest - 1;
  }

  /** Begins when those before it in its lane are done. Resolves when there is room for the next one, or one has failed. */
  async add(event: RecordedEvent, lane: string, react: () => Promise<void>): Promise<void> {
    const { position } = event;
    const characters = payloadLength(event);
    this.#characters += characters;
    const work = this.#lanes.run(lane, react).then(
      () => {
        this.#open.delete(position);
        this.#characters -= characters;
        this.#onRoom();
      },
      (error: unknown) => {
        this.#failure ??= { error };
        this.#onFailed();
        this.#onRoom();
      },
    );
    this.#open.set(position, work);
    while (this.#isFull && !this.#failure)
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
  }

  get #isFull(): boolean {
    return this.#open.size >= maxOpen || this.#characters >= maxCharacters;
  }

  /** Resolves when nothing goes on any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#open.values());
  }

  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
