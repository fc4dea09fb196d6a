import { Command, Option } from 'commander';
import { addAccountCommands } from './account-commands.ts';
import { addBelongingsCommands } from './belongings-commands.ts';
import { addDeadLetterCommands } from './dead-letter-commands.ts';
import { addHistoryCommands } from './history-commands.ts';
import { withOperator } from './operator/with-operator.ts';
import { addProjectionCommands } from './projection-commands.ts';
import { loadSettings } from './settings.ts';

const help = `
The stack is the one of PARLEY_HOME (default ./.parley), or the one behind NATS_URL.

Exit codes:
  0  done
  1  the answer is no: drift, not found, already running, a port in use
  2  wrong usage
  3  no stack there, or it does not answer, or not all of it`;

/** Every command. What a command needs is loaded when it runs, so that each starts fast and `up` stays small. */
export function createProgram(): Command {
  const program = new Command('parley')
    .description('Runs a Parley stack, has its accounts, and looks into its history.')
    .exitOverride()
    .showHelpAfterError('(parley --help lists the commands and their options)')
    .addHelpText('after', help);
  addStackCommands(program);
  addAccountCommands(program);
  addBelongingsCommands(program);
  addHistoryCommands(program);
  addProjectionCommands(program);
  addDeadLetterCommands(program);
  return program;
}

function addStackCommands(program: Command): void {
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

  program
    .command('demo')
    .description('make the demo accounts and what belongs to them; what is there stays')
    .option('--base-url <url>', 'the gateway; that of the stack in PARLEY_HOME without it')
    .option('--sandbox-url <url>', 'the sandbox; that of the stack in PARLEY_HOME without it')
    .option('--via <url>', 'where this command reaches the gateway, if elsewhere than its users')
    .option('--sandbox-via <url>', 'where this command reaches the sandbox, if elsewhere than its users')
    .option('--json', 'print demo.json, keys included', false)
    .action((options) =>
      withOperator(async (operator, settings) => {
        const { demo } = await import('./commands/demo.ts');
        await demo(operator, settings, options);
      }),
    );
}
