/**
 * Loaded into every process that runs tests before anything else: such a process ends when the run does, however that
 * ended, and by Ctrl-C or `timeout`, which tell it as well; and with it what its tests have started. Nobody waits for them
 * any more.
 */

// Vitest guards against tests that call it.
const exit = process.exit.bind(process);
process.once('disconnect', () => exit(1));
process.once('SIGINT', () => exit(130));
process.once('SIGTERM', () => exit(143));
