import { listProjections } from '@parley/contracts';
import type { z } from 'zod';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import { type Answered, askAll, askEvery, notFound } from './ask-all.ts';
import { expectOk, type Operator } from './operator.ts';

export type Projection = z.output<typeof listProjections.output>['projections'][number] & {
  readonly service: string;
};

const projectionsOf =
  (operator: Operator) =>
  async (service: string): Promise<readonly Projection[]> => {
    const { projections } = expectOk(await operator.ask(service, listProjections, {}), service);
    return projections.map((projection) => ({ ...projection, service }));
  };

const together = (answers: readonly Answered<readonly Projection[]>[]): readonly Projection[] =>
  answers.flatMap(({ value }) => value);

/** The projections of the services that answer. */
export const findProjections = (operator: Operator): Promise<readonly Answered<readonly Projection[]>[]> =>
  askAll(projectionsOf(operator));

/** The projections of every service; fails with 3 when one does not answer. */
export const findEveryProjection = async (operator: Operator): Promise<readonly Projection[]> =>
  together(await askEvery(projectionsOf(operator)));

/** The name of a projection as commands take and print it: `assistants/folders`. */
export const fullNameOf = ({ service, name }: Projection): string => `${service}/${name}`;

/** One projection by `folders` or `assistants/folders`. */
export async function findProjection(operator: Operator, name: string): Promise<Projection> {
  const answers = await askAll(projectionsOf(operator));
  const found = together(answers).filter((candidate) =>
    [candidate.name, fullNameOf(candidate)].includes(name),
  );
  const [only] = found;
  if (!only) throw notFound(answers, `There is no projection ${name}. "parley projections" lists them.`);
  if (found.length > 1) {
    const names = found.map(fullNameOf).join(', ');
    throw new CommandFailed(`More than one is called ${name}: ${names}.`, exitCodes.usage);
  }
  return only;
}

/** What a projection is doing right now. */
export async function readProjection(operator: Operator, { service, name }: Projection): Promise<Projection> {
  const projections = await projectionsOf(operator)(service);
  const found = projections.find((candidate) => candidate.name === name);
  if (!found) throw new CommandFailed(`${service} no longer has a projection ${name}.`);
  return found;
}
