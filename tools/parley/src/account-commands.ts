import { registerAccount, topUpBalance } from '@parley/contracts';
import { type Command, Option } from 'commander';
import { amount, positiveInteger, textFor } from './arguments.ts';
import { withOperator } from './operator/with-operator.ts';

/** The commands about accounts, their keys and their money. */
export function addAccountCommands(program: Command): void {
  const { email, name } = registerAccount.input.shape;
  const { description, reference } = topUpBalance.input.shape;

  program
    .command('register')
    .description('make an account; issue-key gives it its first key')
    .requiredOption('--email <address>', 'whose; an address has one account', textFor(email))
    .requiredOption('--name <name>', 'as `me` shows it', textFor(name))
    .addOption(
      new Option('--billing-unit <unit>', 'what its balance counts; prices are the same numbers of either')
        .choices(['credits', 'minutes'])
        .default('credits'),
    )
    .option('--json', 'as JSON', false)
    .action((options) =>
      withOperator(async (operator) => {
        const { register } = await import('./commands/accounts.ts');
        await register(operator, options);
      }),
    );

  program
    .command('issue-key')
    .description('make an API key of an account and print it: this once')
    .requiredOption('--account <id>', 'whose', positiveInteger)
    .requiredOption('--name <name>', 'to know it by', textFor(name))
    .option('--json', 'as JSON, with its id', false)
    .action((options) =>
      withOperator(async (operator) => {
        const { issueKey } = await import('./commands/accounts.ts');
        await issueKey(operator, options);
      }),
    );

  program
    .command('top-up')
    .description('put money on the balance of an account')
    .requiredOption('--account <id>', 'whose', positiveInteger)
    .requiredOption('--amount <amount>', 'of its billing unit, such as 12.50', amount)
    .requiredOption(
      '--reference <text>',
      'of the payment: an account is topped up by one reference once',
      textFor(reference.unwrap()),
    )
    .option('--description <text>', 'as the ledger shows it', textFor(description), 'Top-up')
    .option('--json', 'the balance as JSON', false)
    .action((options) =>
      withOperator(async (operator) => {
        const { topUp } = await import('./commands/accounts.ts');
        await topUp(operator, options);
      }),
    );

  program
    .command('debit')
    .description('take money off the balance of an account: a chargeback, or a correction')
    .requiredOption('--account <id>', 'whose', positiveInteger)
    .requiredOption(
      '--amount <amount>',
      'of its billing unit, such as 12.50; more than there is, too',
      amount,
    )
    .requiredOption(
      '--reference <text>',
      'of the chargeback: an account is debited by one reference once',
      textFor(reference.unwrap()),
    )
    .requiredOption('--description <text>', 'why, as the ledger shows it', textFor(description))
    .option('--json', 'the balance as JSON', false)
    .action((options) =>
      withOperator(async (operator) => {
        const { debit } = await import('./commands/accounts.ts');
        await debit(operator, options);
      }),
    );
}
