import type { Command } from 'commander';
import { withOperator } from './operator/with-operator.ts';

/** The commands about dead letters. */
export function addDeadLetterCommands(program: Command): void {
  program
    .command('dead-letters')
    .description('events that a service tried in vain to act on and gave up, and why')
    .option('--json', 'as JSON', false)
    .action((options) =>
      withOperator(async (operator) => {
        const { printDeadLetters } = await import('./commands/dead-letters.ts');
        await printDeadLetters(operator, options);
      }),
    );

  program
    .command('retry-letter')
    .description(
      'have services act on events that they gave up; nothing is done twice; exit code 1 when one failed again',
    )
    .argument('<letters...>', 'for example assistants/12, or all')
    .option('--json', 'the outcomes as JSON', false)
    .action((letters, options) =>
      withOperator(async (operator) => {
        const { retryDeadLetters } = await import('./commands/dead-letters.ts');
        await retryDeadLetters(operator, letters, options);
      }),
    );

  program
    .command('discard-letter')
    .description('give up for good what was given up: no service acts on these events any more')
    .argument('<letters...>', 'for example assistants/12, or all')
    .action((letters) =>
      withOperator(async (operator) => {
        const { discardDeadLetters } = await import('./commands/dead-letters.ts');
        await discardDeadLetters(operator, letters);
      }),
    );
}
