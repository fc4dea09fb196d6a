import { Command, InvalidArgumentError } from 'commander';

interface Options {
  /** Names of groups. */
  readonly only: readonly string[];
  /** Of one run. */
  readonly seconds: number;
  readonly write: boolean;
  readonly quick: boolean;
  readonly profile: boolean;
  readonly profileDir: string;
}

/** Ends the process with a sentence where the command line cannot be read, and after `--help`. */
export function readOptions(groups: readonly string[], argv: readonly string[]): Options {
  const names = (text: string): readonly string[] => {
    const only = text.split(',');
    const unknown = only.filter((name) => !groups.includes(name));
    if (unknown.length === 0) return only;
    throw new InvalidArgumentError(`There is no ${unknown.join(', ')}; there are ${groups.join(', ')}.`);
  };
  return new Command('npm run bench --')
    .description('Measures every group side by side with its peers, in interleaved rounds; prints tables.')
    .option('--only <groups>', 'so many of them, with commas between', names, groups)
    .option('--seconds <number>', 'the length of a run', seconds, 3)
    .option('--write', 'keep the results in docs/benchmarks.json; make docs/benchmarks.md of it', false)
    .option('--quick', 'one short round, to see that everything runs', false)
    .option('--profile', 'measure nothing: write a CPU profile of each process under load', false)
    .option('--profile-dir <folder>', 'where the profiles go', 'bench-profiles')
    .parse(argv, { from: 'user' })
    .opts<Options>();
}

function seconds(text: string): number {
  const number = Number(text);
  if (number > 0 && number <= 600) return number;
  throw new InvalidArgumentError('It takes more than 0, and at most 600.');
}
