import { listResources } from '@parley/contracts';
import { askAll, notFound } from './ask-all.ts';
import { expectOk, type Operator } from './operator.ts';

/**
 * The service that has resources of the kind of `resource`, such as `folder/12`; whether that one exists is not
 * checked. Throws `CommandFailed` for an unknown kind.
 */
export async function findServiceOf(operator: Operator, resource: string): Promise<string> {
  const [kind = ''] = resource.split('/');
  const known = await askAll(async (service) =>
    expectOk(await operator.ask(service, listResources, {}), service),
  );
  const owner = known.find(({ value }) => value.resources.includes(kind));
  if (owner) return owner.service;
  const kinds = known.flatMap(({ value }) => value.resources).sort();
  throw notFound(known, `There is no resource "${kind}". Known: ${kinds.join(', ')}.`);
}
