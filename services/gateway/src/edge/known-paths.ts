import type { OperationDefinition } from '@parley/contracts';
import type { RouteOptions } from 'fastify';

interface KnownRoute {
  readonly methods: readonly string[];
  readonly pattern: RegExp;
  /** None outside the API. */
  readonly operation: OperationDefinition | undefined;
}

/** What the router does not say: which methods a path has, and which operation a target that cannot be decoded means. */
export class KnownPaths {
  readonly #routes: KnownRoute[] = [];

  /** Every route that the server gets. */
  add({ method, url, config }: Pick<RouteOptions, 'method' | 'url' | 'config'>): void {
    // One of many paths (CORS, the files of a page) says nothing about any of them.
    if (url.endsWith('*')) return;
    this.#routes.push({ methods: [method].flat(), pattern: patternOf(url), operation: config?.operation });
  }

  /** The methods of a path for `Allow`; empty for an unknown path. */
  methodsOf(target: string): readonly string[] {
    return [...new Set(this.#at(target).flatMap(({ methods }) => methods))].sort();
  }

  operationOf(method: string, target: string): OperationDefinition | undefined {
    return this.#at(target).find(({ methods }) => methods.includes(method))?.operation;
  }

  #at(target: string): KnownRoute[] {
    const [path = ''] = target.split('?', 1);
    return this.#routes.filter(({ pattern }) => pattern.test(path));
  }
}

/** A path's literal parts hold letters, digits, dashes and dots only; see the test over all operations. */
const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
