import type { Command } from 'commander';
import { person, positiveInteger } from './arguments.ts';
import { CommandFailed, exitCodes } from './exit-codes.ts';
import { withOperator } from './operator/with-operator.ts';

/** The commands that export and import accounts, and that erase a person. */
export function addBelongingsCommands(program: Command): void {
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
}
