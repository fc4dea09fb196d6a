import { v5 as uuidv5 } from 'uuid';

/** Never changes: command ids of attempts are made from names in this space. */
const attemptSpace = '0d9c2f0a-7a53-5a4e-9a1c-5f3b1e6d2c48';

/** The command by which a lead's attempt asks its channel's service: asked twice, effective once. */
export const commandIdOf = (streamId: string, attempt: number): string =>
  uuidv5(`${streamId} ${attempt}`, attemptSpace);
