import { Command, Option } from 'commander';
import { loadSettings } from './settings.ts';

/** Every command. What a command needs is loaded when it runs, so that each starts fast and `up` stays small. */
export function createProgram(): Command {
  const program = new Command('parley')
    .description('Runs a Parley stack and looks into its history.')
    .exitOverride()
    .addHelpText(
      'after',
      [
        '',
        'The stack is the one of PARLEY_HOME (default ./.parley), or the one behind NATS_URL.',
        'Exit codes: 0 done, 1 the answer is no (drift, not found, already running), 2 wrong usage, 3 not reachable.',
      ].join('\n'),
    );

  program
    .command('up')
    .description('start Postgres, NATS and every service, and keep them running until Ctrl-C')
    .addOption(
      new Option('--logs <severity>', 'which lines of the processes to show here; the log files have all')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('warn'),
    )
    .action(async ({ logs }) => {
      const { up } = await import('./up/up.ts');
      // biome-ignore lint/style/noProcessEnv: the services inherit the environment of the supervisor.
      await up({ settings: loadSettings(), environment: process.env, leastSeverity: logs });
    });

  return program;
}
