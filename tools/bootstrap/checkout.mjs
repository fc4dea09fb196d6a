import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const checkoutRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const toolchainDir = join(checkoutRoot, '.toolchain');
/** What runs of the tests leave behind: reports, figures, coverage, mutants. */
export const resultsDir = join(checkoutRoot, '.test-results');
