import { lazily } from './lazily.ts';

/** A library could not be loaded, as while no file can be opened: what it was wanted for was not begun. */
class NotLoaded extends Error {
  override readonly name = 'NotLoaded';
  readonly code = 'NOT_LOADED';

  constructor(options: ErrorOptions) {
    super('A library could not be loaded.', options);
  }
}

/** What `load` gives, loaded when it is first asked for. One that fails rejects with `NotLoaded`, and is asked again. */
export const loadedLate = <T>(load: () => Promise<T>): (() => Promise<T>) =>
  lazily(() =>
    load().catch((cause: unknown) => {
      throw new NotLoaded({ cause });
    }),
  );
