import { serviceNames } from '@parley/contracts';
import { Command, Option } from 'commander';
import { addAccountCommands } from './account-commands.ts';
import {
  actor,
  eventTypes,
  instant,
  moment,
  naturalNumber,
  person,
  positiveInteger,
  streamName,
} from './arguments.ts';
import { CommandFailed, exitCodes } from './exit-codes.ts';
import { withOperator } from './operator/with-operator.ts';
import { loadSettings } from './settings.ts';

const help = `
The stack is the one of PARLEY_HOME (default ./.parley), or the one behind NATS_URL.

Exit codes:
  0  done
  1  the answer is no: drift, not found, already running, a port in use
  2  wrong usage
  3  no stack there, or it does not answer`;

/** Every command. What a command needs is loaded when it runs, so that each starts fast and `up` stays small. */
export function createProgram(): Command {
  const program = new Command('parley')
    .description('Runs a Parley stack, has its accounts, and looks into its history.')
    .exitOverride()
    .showHelpAfterError('(parley --help lists the commands and their options)')
    .addHelpText('after', help);
  addStackCommands(program);
  addAccountCommands(program);
  addHistoryCommands(program);
  addProjectionCommands(program);
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

function addHistoryCommands(program: Command): void {
  program
    .command('events')
    .description('the event logs of all services, merged by time')
    .argument('[stream]', 'only this stream, for example folder-12', streamName)
    .option('--type <type...>', 'only events of these types', eventTypes)
    .option('--account <id>', 'only events of this account', positiveInteger)
    .option('--after <position>', 'only events after this position of their log', naturalNumber, 0)
    .option('--last <count>', 'only the newest so many', naturalNumber)
    .option('--follow', 'go on with what comes, until Ctrl-C', false)
    .option('--json', 'one JSON object a line', false)
    .action((stream, { type, account, after, last, follow, json }) =>
      withOperator(async (operator) => {
        const { printEvents } = await import('./commands/events.ts');
        const stop = new AbortController();
        if (follow) process.once('SIGINT', () => stop.abort());
        const filter = { streamId: stream, types: type ?? [], accountId: account };
        await printEvents(operator, { filter, after, last, follow, json }, stop.signal);
      }),
    );

  program
    .command('audit')
    .description('who changed a resource, when, and what it was before')
    .argument('<resource>', 'for example folder/12')
    .option('--since <time>', 'only changes since then', instant)
    .option('--actor <actor>', 'only changes by this actor, for example api_key:3', actor)
    .option('--json', 'as JSON', false)
    .action((resource, options) =>
      withOperator(async (operator) => {
        const { printAudit } = await import('./commands/audit.ts');
        await printAudit(operator, resource, options);
      }),
    );

  program
    .command('state')
    .description('a resource as it was at a moment: v:3 (version), p:120 (position of its log) or a time')
    .argument('<resource>', 'for example folder/12')
    .option('--at <moment>', 'the moment; the newest state without it', moment, {})
    .option('--diff <moment>', 'what is different at this moment (or now)', moment)
    .option('--json', 'as JSON', false)
    .action((resource, options) =>
      withOperator(async (operator) => {
        const { printState } = await import('./commands/state.ts');
        await printState(operator, resource, options);
      }),
    );

  program
    .command('trace')
    .description('what one request led to in all services, as a tree')
    .argument('<request>', 'its id, as X-Request-Id and histories show it')
    .option('--json', 'as JSON', false)
    .action((request, options) =>
      withOperator(async (operator) => {
        const { printTrace } = await import('./commands/trace.ts');
        await printTrace(operator, request, options);
      }),
    );

  program
    .command('export')
    .description('all events of an account, one JSON object a line, without secrets')
    .requiredOption('--account <id>', 'whose', positiveInteger)
    .action(({ account }) =>
      withOperator(async (operator) => {
        const { exportAccount } = await import('./commands/export.ts');
        await exportAccount(operator, account);
      }),
    );

  program
    .command('erase')
    .description(
      'destroy what belongs to a person: events stay, the person is gone; exit code 1 when not all of it is',
    )
    .requiredOption('--account <id>', 'of which account', positiveInteger)
    .requiredOption(
      '--subject <phone>',
      "the person's number, E.164, or the chat platform's id of one who hides it",
      person,
    )
    .option('--json', 'as JSON', false)
    .action(({ account, subject, json }) =>
      withOperator(async (operator) => {
        const { erase } = await import('./commands/erase.ts');
        await erase(operator, { account, subject }, { json });
      }),
    );

  program
    .command('import')
    .description(
      'take accounts that export gave out into a fresh installation: parley import < account.jsonl',
    )
    .option('--json', 'the outcome as JSON', false)
    .action((options) => {
      if (process.stdin.isTTY)
        throw new CommandFailed('Give it a file: parley import < account.jsonl', exitCodes.usage);
      return withOperator(async (operator) => {
        const { importAccounts } = await import('./commands/import.ts');
        await importAccounts(operator, process.stdin, options);
      });
    });

  program
    .command('replay-run')
    .description('go through a run of an automation again without effects; exit code 1 when steps differ')
    .argument('<run>', 'its id')
    .addOption(
      new Option('--definition <version>', 'the version that the run follows, or the one that new runs take')
        // `newest` is what `current` was called first.
        .choices(['pinned', 'current', 'newest'])
        .default('pinned'),
    )
    .option('--json', 'as JSON', false)
    .action((run, options) =>
      withOperator(async (operator) => {
        const { printReplay } = await import('./commands/replay-run.ts');
        await printReplay(operator, run, options);
      }),
    );
}

function addProjectionCommands(program: Command): void {
  program
    .command('projections')
    .description('every projection with its version, position, lag and owner')
    .option('--json', 'as JSON', false)
    .action((options) =>
      withOperator(async (operator) => {
        const { printProjections } = await import('./commands/projections.ts');
        await printProjections(operator, options);
      }),
    );

  program
    .command('rebuild')
    .description('build a projection anew from the events and swap it in; the API stays up')
    .argument('<projection>', 'for example folders or assistants/folders')
    .option('--json', 'as JSON', false)
    .action((projection, options) =>
      withOperator(async (operator) => {
        const { rebuild } = await import('./commands/rebuild.ts');
        await rebuild(operator, projection, options);
      }),
    );

  program
    .command('publish')
    .description('send events to the bus again, with the same ids; subscribers know them by these')
    .addOption(new Option('--service <service>', 'whose').choices([...serviceNames]).makeOptionMandatory())
    .requiredOption('--from <position>', 'the first one, by its position in the log', positiveInteger)
    .option('--json', 'the outcome as JSON', false)
    .action((options) =>
      withOperator(async (operator) => {
        const { publish } = await import('./commands/publish.ts');
        await publish(operator, options);
      }),
    );

  program
    .command('verify')
    .description(
      'rebuild projections into a shadow and compare; exit code 1 when rows differ, 3 when that could not be found out',
    )
    .argument('[projection]', 'for example folders or assistants/folders; all without it')
    .option('--json', 'as JSON', false)
    .action((projection, options) =>
      withOperator(async (operator) => {
        const { verify } = await import('./commands/verify.ts');
        await verify(operator, projection, options);
      }),
    );
}
