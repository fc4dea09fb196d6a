import { serviceNames } from '@parley/contracts';
import { type Command, Option } from 'commander';
import { positiveInteger } from './arguments.ts';
import { withOperator } from './operator/with-operator.ts';

/** The commands about projections and reactors, and the one that publishes events again. */
export function addProjectionCommands(program: Command): void {
  program
    .command('projections')
    .description('every projection with its version, position, lag and status')
    .option('--json', 'as JSON', false)
    .action((options) =>
      withOperator(async (operator) => {
        const { printProjections } = await import('./commands/projections.ts');
        await printProjections(operator, options);
      }),
    );

  program
    .command('reactors')
    .description('how far each reactor is in the log that it follows, and the event at which it stands')
    .option('--json', 'as JSON', false)
    .action((options) =>
      withOperator(async (operator) => {
        const { printReactors } = await import('./commands/reactors.ts');
        await printReactors(operator, options);
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
