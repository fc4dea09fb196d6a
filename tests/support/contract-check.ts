import { type OperationDefinition, operations, rejectionCodesOf, rejections } from '@parley/contracts';

/** Operations with fewer path parameters first, so that `/all` is not taken for an id. */
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

/** Throws when an answer has a status or a code that its operation's contract, and so `/openapi.json`, does not name. */
export function checkRefusal(method: string, path: string, { status, body, text }: Answered): void {
  const operation = operationOf(method, path);
  if (!operation || status === operation.success.status) return;
  const named = rejectionCodesOf(operation).filter((code) => rejections[code].status === status);
  if (named.length === 0)
    throw new Error(`${operation.name} answered ${status}, which its contract does not name: ${text}`);
  const code = codeIn(operation, body);
  if (code !== undefined && !named.some((each) => [each.toUpperCase(), each].includes(code)))
    throw new Error(`${operation.name} answered a code that its contract does not name: ${text}`);
}

/** Codes of the specification that are called otherwise in the contracts. */
const otherNames = ['VALIDATION_FAILED', 'TEMPLATE_NOT_FOUND', 'Unauthorized'];

function codeIn({ errorShape, notFoundErrorCode, invalidErrorCode }: OperationDefinition, body: unknown) {
  const { error, error_code }: { error?: string; error_code?: string } = Object(body);
  const code = errorShape === 'chatapp' ? error_code : errorShape === 'coded' ? error : undefined;
  return [...otherNames, notFoundErrorCode, invalidErrorCode].includes(code) ? undefined : code;
}

/**
 * Throws when a successful answer has something in its body, or a version as `ETag`, that the contract of its
 * operation does not name.
 */
export function checkSuccess(method: string, path: string, { status, headers, body, text }: Answered): void {
  const operation = operationOf(method, path);
  if (!operation || status >= 300 || !String(headers['content-type']).startsWith('application/json')) return;
  const parsed = operation.success.schema.safeParse(body);
  if (!parsed.success)
    throw new Error(
      `${operation.name} answered what its contract does not know: ${parsed.error.message}\n${text}`,
    );
  if (headers.etag !== undefined && operation.kind === 'query' && !operation.isVersioned)
    throw new Error(`${operation.name} answered a version, which its contract does not name.`);
}
