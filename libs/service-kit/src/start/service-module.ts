import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { RejectionFilter } from '../requests/rejection-filter.ts';

/** Holds what the kit provides to every class of the service. */
@Module({})
class KitModule {}

@Module({})
class ServiceModule {}

/** The root of a service's object graph: the service's own module, what the kit provides, the operator's controllers. */
export const serviceModule = (options: {
  readonly module: Type<unknown>;
  readonly controllers: readonly Type<unknown>[];
  readonly provided: readonly Provider[];
}): DynamicModule => ({
  module: ServiceModule,
  imports: [
    { module: KitModule, global: true, providers: [...options.provided], exports: [...options.provided] },
    options.module,
  ],
  controllers: [...options.controllers],
  providers: [{ provide: APP_FILTER, useClass: RejectionFilter }],
});
