import { v5 as uuidv5 } from 'uuid';

/** Namespace of the command ids of attempts; it must never change. */
const attemptSpace = '0d9c2f0a-7a53-5a4e-9a1c-5f3b1e6d2c48';

/** Id of the command by which a lead's attempt asks its channel's service: asked twice, it is effective once. */
export const commandIdOf = (streamId: string, attempt: number): string =>
  uuidv5(`${streamId} ${attempt}`, attemptSpace);
