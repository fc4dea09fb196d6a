import { type OperationDefinition, operations } from '@parley/contracts';

/** Those with fewer parameters first: `/all` is no id. */
const routes = operations
  .toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)
  .map((operation) => ({
    operation,
    path: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
  readonly text: string;
}

const operationOf = (method: string, path: string): OperationDefinition | undefined => {
  const [target = ''] = path.split('?', 1);
  return routes.find((route) => route.operation.method === method && route.path.test(target))?.operation;
};

/** Throws when a success is not what its operation's contract says: neither its status nor its body may differ. */
export function checkAgainstContract(
  method: string,
  path: string,
  { status, headers, body, text }: Answered,
): void {
  const operation = operationOf(method, path);
  if (!operation || status >= 300 || !String(headers['content-type']).startsWith('application/json')) return;
  if (status !== operation.success.status)
    throw new Error(`${operation.name} answered ${status} instead of ${operation.success.status}.`);
  const parsed = operation.success.schema.safeParse(body);
  if (!parsed.success)
    throw new Error(
      `${operation.name} answered what its contract does not know: ${parsed.error.message}\n${text}`,
    );
}
