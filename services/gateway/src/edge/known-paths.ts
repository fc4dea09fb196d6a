import type { OperationDefinition } from '@parley/contracts';

/** What the router does not say: which methods a path has, and which operation a target that cannot be decoded means. */
export class KnownPaths {
  readonly #operations: readonly { readonly operation: OperationDefinition; readonly pattern: RegExp }[];

  constructor(operations: readonly OperationDefinition[]) {
    this.#operations = operations.map((operation) => ({ operation, pattern: patternOf(operation.path) }));
  }

  /** The methods of a path for `Allow`; empty for an unknown path. */
  methodsOf(target: string): readonly string[] {
    const methods = this.#at(target).flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    return [...new Set(methods)].sort();
  }

  operationOf(method: string, target: string): OperationDefinition | undefined {
    return this.#at(target).find((operation) => operation.method === method);
  }

  #at(target: string): OperationDefinition[] {
    const [path = ''] = target.split('?', 1);
    return this.#operations.filter(({ pattern }) => pattern.test(path)).map(({ operation }) => operation);
  }
}

/** A path's literal parts hold letters, digits, dashes and dots only; see the test over all operations. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
