import { listResources } from '@parley/contracts';
import { askAll, notFound } from './ask-all.ts';
import { expectOk, type Operator } from './operator.ts';

/**
 * The service that has resources of the kind of `resource`, such as `folder/12`; whether that one exists is not
 * checked, and services that do not answer are waited for only where none of the others has that kind. Throws
 * `CommandFailed` for an unknown kind.
 */
export async function findServiceOf(operator: Operator, resource: string): Promise<string> {
  const [kind = ''] = resource.split('/');
  const owner = Promise.withResolvers<string>();
  const resourcesOf = async (service: string) => {
    const { resources } = expectOk(await operator.ask(service, listResources, {}), service);
    if (resources.includes(kind)) owner.resolve(service);
    return resources;
  };
  // What becomes of the others then concerns nobody.
  const found = owner.promise.then(() => []);
  const everyAnswer = askAll((service) => Promise.race([resourcesOf(service), found]));
  const nobody = everyAnswer.then((known) => {
    const kinds = known.flatMap(({ value }) => value).sort();
    throw notFound(known, `There is no resource "${kind}". Known: ${kinds.join(', ')}.`);
  });
  return Promise.race([owner.promise, nobody]);
}
