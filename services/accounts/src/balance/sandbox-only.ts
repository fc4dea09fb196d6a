import { type CanActivate, Inject, Injectable } from '@nestjs/common';
import { reject } from '@parley/contracts';
import { CONFIG, RejectionError, type ServiceConfig } from '@parley/service-kit';

/** Guard of handlers that exist in sandbox stacks only: elsewhere they answer `not_found`. */
@Injectable()
export class SandboxOnly implements CanActivate {
  readonly #config: ServiceConfig;

  constructor(@Inject(CONFIG) config: ServiceConfig) {
    this.#config = config;
  }

  canActivate(): true {
    if (!this.#config.SANDBOX) throw new RejectionError(reject('not_found'));
    return true;
  }
}
