import { listProjections } from '@parley/contracts';
import type { z } from 'zod';
import { CommandFailed, exitCodes } from '../exit-codes.ts';
import { askAll } from './ask-all.ts';
import { expectOk, type Operator } from './operator.ts';

export type Projection = z.output<typeof listProjections.output>['projections'][number] & {
  readonly service: string;
};

/** The projections of every service. */
export async function findProjections(operator: Operator): Promise<readonly Projection[]> {
  const answers = await askAll(async (service) =>
    expectOk(await operator.ask(service, listProjections, {}), service),
  );
  return answers.flatMap(({ service, value }) =>
    value.projections.map((projection) => ({ ...projection, service })),
  );
}

/** One projection by `folders` or `assistants/folders`. */
export async function findProjection(operator: Operator, name: string): Promise<Projection> {
  const [projection = '', service] = name.split('/').reverse();
  const found = (await findProjections(operator)).filter(
    (candidate) => candidate.name === projection && (service === undefined || candidate.service === service),
  );
  const [only] = found;
  if (!only) throw new CommandFailed(`There is no projection ${name}. "parley projections" lists them.`);
  if (found.length > 1) {
    const names = found.map((candidate) => `${candidate.service}/${candidate.name}`);
    throw new CommandFailed(`More than one is called ${name}: ${names.join(', ')}.`, exitCodes.usage);
  }
  return only;
}

/** What a projection is doing right now. */
export async function readProjection(operator: Operator, { service, name }: Projection): Promise<Projection> {
  const { projections } = expectOk(await operator.ask(service, listProjections, {}), service);
  const found = projections.find((candidate) => candidate.name === name);
  if (!found) throw new CommandFailed(`${service} no longer has a projection ${name}.`);
  return { ...found, service };
}
