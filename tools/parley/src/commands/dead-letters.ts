import { discardDeadLetter, listDeadLetters, retryDeadLetter, serviceNames } from '@parley/contracts';
import type { z } from 'zod';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import { askAll, askEvery, expectAll } from '../operator/ask-all.ts';
import { type Answer, expectOk, type Operator } from '../operator/operator.ts';
import { firstLine, toJson } from '../output/json.ts';
import { countOf, renderTable } from '../output/table.ts';
import { formatTime } from '../output/time.ts';

type DeadLetter = z.output<typeof listDeadLetters.output>['dead_letters'][number] & {
  readonly service: string;
};

/** Which one: `assistants/12`. */
interface LetterName {
  readonly service: string;
  readonly id: number;
}

interface Output {
  readonly json: boolean;
}

const pageSize = 500;
const none = 'No event was given up.\n';

/** Prints the dead letters of all services with their errors; those that answer, and throws `CommandFailed` (3) then. */
export async function printDeadLetters(operator: Operator, { json }: Output): Promise<void> {
  const answers = await askAll((service) => lettersOf(operator, service));
  const letters = answers.flatMap(({ value }) => value);
  if (json) process.stdout.write(`${toJson(letters, 2)}\n`);
  else process.stdout.write(letters.length === 0 ? none : tableOf(letters));
  expectAll(answers);
}

function tableOf(letters: readonly DeadLetter[]): string {
  const rows = letters.map((letter) => [
    nameOf(letter),
    letter.processor.replace(/^reactor:/, ''),
    letter.event ? `${letter.event.type} ${letter.event.stream_id}` : letter.event_id,
    letter.event?.account_id?.toString() ?? '-',
    formatTime(letter.given_up_at),
    letter.attempts,
    firstLine(letter.error),
  ]);
  const headers = ['LETTER', 'REACTOR', 'EVENT', 'ACCOUNT', 'GIVEN UP AT', 'ATTEMPTS', 'ERROR'];
  return `${renderTable(headers, rows, process.stdout)}\n`;
}

/**
 * Has the reactors try the events of these dead letters again, one after the other; a failure does not stop the
 * others. Throws `CommandFailed` after the report: with 1 when one failed again or does not exist, with 3 when none
 * did and some could not be tried.
 */
export async function retryDeadLetters(
  operator: Operator,
  names: readonly string[],
  { json }: Output,
): Promise<void> {
  const retry = async (name: LetterName) =>
    expectOk(await operator.ask(name.service, retryDeadLetter, { id: name.id }), name.service);
  await handleEach(await resolve(operator, names), retry, { json });
}

/** Discards these dead letters; a failure does not stop the others. Throws as `retryDeadLetters` does. */
export async function discardDeadLetters(operator: Operator, names: readonly string[]): Promise<void> {
  const discard = async (name: LetterName) => {
    expectOk(await operator.ask(name.service, discardDeadLetter, { id: name.id }), name.service);
    return { outcome: 'discarded' } as const;
  };
  await handleEach(await resolve(operator, names), discard, { json: false });
}

interface Outcome {
  readonly outcome: 'done' | 'discarded' | 'failed' | 'untried';
  readonly error?: string;
}

interface Handled extends Outcome {
  readonly letter: string;
}

type Act = (name: LetterName) => Promise<Outcome>;

/** Acts on one letter after the other and prints what came of each; throws when not all went well. */
async function handleEach(names: readonly LetterName[], act: Act, { json }: Output): Promise<void> {
  const handled: Handled[] = [];
  for (const name of names) {
    const one = await handle(name, act);
    if (!json) process.stdout.write(`${render(one)}\n`);
    handled.push(one);
  }
  if (json) process.stdout.write(`${toJson(handled, 2)}\n`);
  else if (names.length === 0) process.stdout.write(none);
  complainAbout(handled);
}

async function handle(name: LetterName, act: Act): Promise<Handled> {
  const letter = nameOf(name);
  try {
    return { letter, ...(await act(name)) };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const outcome = error.exitCode === exitCodes.unreachable ? 'untried' : 'failed';
    return { letter, outcome, error: error.message };
  }
}

function render({ letter, outcome, error }: Handled): string {
  const what = outcome === 'untried' ? 'could not be tried' : outcome;
  return `${letter}  ${what}${error === undefined ? '' : `: ${firstLine(error)}`}`;
}

function complainAbout(handled: readonly Handled[]): void {
  const total = countOf(handled.length, 'event');
  const untried = handled.filter(({ outcome }) => outcome === 'untried').length;
  const failed = handled.filter(({ outcome }) => outcome === 'failed').length;
  if (failed > 0) {
    const others = untried > 0 ? `, and ${untried} could not be tried` : '';
    throw new CommandFailed(`${failed} of ${total} failed${others}.`);
  }
  if (untried > 0)
    throw new CommandFailed(`${untried} of ${total} could not be tried.`, exitCodes.unreachable);
}

async function resolve(operator: Operator, names: readonly string[]): Promise<readonly LetterName[]> {
  if (!names.includes('all')) return names.map(parse);
  const answers = await askEvery((service) => lettersOf(operator, service));
  return answers.flatMap(({ value }) => value);
}

async function lettersOf(operator: Operator, service: string): Promise<readonly DeadLetter[]> {
  const letters: DeadLetter[] = [];
  for (let limit = pageSize; ; ) {
    const after = letters.at(-1)?.id ?? 0;
    const answer = await operator.ask(service, listDeadLetters, { after, limit });
    if (limit > 1 && isTooLarge(answer)) {
      limit = Math.ceil(limit / 2);
      continue;
    }
    const { dead_letters: page } = expectOk(answer, service);
    letters.push(...page.map((letter) => ({ ...letter, service })));
    if (page.length < limit) return letters;
  }
}

/**
 * Whether the reply did not fit into a message of NATS: errors carry their stacks, and a page of long ones is too
 * large.
 */
const isTooLarge = (answer: Answer<unknown>): boolean =>
  answer.kind === 'rejected' && answer.rejection.details?.reason === 'reply_too_large';

const nameOf = ({ service, id }: LetterName): string => `${service}/${id}`;

function parse(name: string): LetterName {
  const [service, id, ...rest] = name.split('/');
  const known = serviceNames.find((each) => each === service);
  if (!known || !id || !/^[1-9]\d{0,14}$/.test(id) || rest.length > 0)
    throw new CommandFailed(
      `${name} is no letter. "parley dead-letters" lists them; all stands for all of them.`,
      exitCodes.usage,
    );
  return { service: known, id: Number(id) };
}
