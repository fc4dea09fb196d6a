import { type Command, Option } from 'commander';
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

/** The commands that show what happened; they change nothing. */
export function addHistoryCommands(program: Command): void {
  program
    .command('events')
    .description('the event logs of all services, merged by time')
    .argument('[stream]', 'only this stream, for example folder-12', streamName)
    .option('--type <type...>', 'only events of these types', eventTypes)
    .option('--account <id>', 'only events of this account', positiveInteger)
    .option('--actor <actor>', 'only what this one did, for example api_key:3', actor)
    .option(
      '--subject <phone>',
      'only what is known of this person of the account, and of nobody else',
      person,
    )
    .option('--after <position>', 'only events after this position of their log', naturalNumber, 0)
    .option('--since <time>', 'only events since then', instant)
    .option('--last <count>', 'only the newest so many', naturalNumber)
    .option('--follow', 'go on with what comes, until Ctrl-C', false)
    .option('--json', 'one JSON object a line', false)
    .action((stream, { type, account, actor, subject, after, since, last, follow, json }) => {
      if (subject !== undefined && (account === undefined || stream !== undefined || type !== undefined))
        throw new CommandFailed(
          '--subject goes with --account, and with no stream and no --type.',
          exitCodes.usage,
        );
      return withOperator(async (operator) => {
        const { printEvents } = await import('./commands/events.ts');
        const stop = new AbortController();
        if (follow) process.once('SIGINT', () => stop.abort());
        const filter = { streamId: stream, types: type ?? [], accountId: account, actor, subject };
        await printEvents(operator, { filter, after, since, last, follow, json }, stop.signal);
      });
    });

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
