import type { OperationDefinition } from '@parley/contracts';
import type { RouteOptions } from 'fastify';

interface KnownRoute {
  readonly methods: readonly string[];
  readonly pattern: RegExp;
  /** Undefined for routes that are no operation. */
  readonly operation: OperationDefinition | undefined;
}

/**
 * Answers what Fastify's router does not tell: which methods a path has, and which operation a request target means
 * whose escapes cannot be decoded.
 */
export class KnownPaths {
  readonly #routes: KnownRoute[] = [];

  /** Adds a route; to be called for every route of the server. */
  add({ method, url, config }: Pick<RouteOptions, 'method' | 'url' | 'config'>): void {
    // A wildcard route (CORS, the files of a page) says nothing about the methods of a single path.
    if (url.endsWith('*')) return;
    const told = [method].flat();
    // Fastify answers HEAD where it answers GET, and tells only of the former at the other spelling of `/docs`.
    const methods = told.includes('HEAD') ? ['GET', ...told] : told;
    this.#routes.push({ methods, pattern: patternOf(url), operation: config?.operation });
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
