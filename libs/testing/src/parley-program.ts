import { join } from 'node:path';

const isBundled = process.env.PARLEY_BUNDLES !== 'false';

/** The CLI of this checkout, for Node: as users run it, or the modules it is made of where coverage is taken. */
export const parleyProgram = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  'tools',
  'parley',
  isBundled ? 'bundle' : 'dist',
  'main.js',
);
