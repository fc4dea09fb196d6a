import type { Type } from '@nestjs/common';
import type { Background, ServiceDefinition } from '../service-definition.ts';
import type { ServiceParts } from '../start/service-parts.ts';
import { clockController } from './clock.controller.ts';
import { deadLettersController } from './dead-letters.controller.ts';
import { erasuresController } from './erasures.controller.ts';
import { importsController } from './imports.controller.ts';
import { ownershipController } from './ownership.controller.ts';
import { personEventsController } from './person-events.controller.ts';
import { projectionsController } from './projections.controller.ts';
import { publishingController } from './publishing.controller.ts';
import { reactorsController } from './reactors.controller.ts';
import { readEventsController } from './read-events.controller.ts';
import { resourcesController } from './resources.controller.ts';
import { revertsController } from './reverts.controller.ts';
import { tracesController } from './traces.controller.ts';

/** What every service answers to operators (`libs/contracts/src/operator/`). */
export const operatorControllers = (
  definition: ServiceDefinition,
  background: Background,
  parts: ServiceParts,
): Type<unknown>[] => [
  readEventsController(definition.name),
  personEventsController(definition, parts),
  projectionsController(definition, parts.decode),
  resourcesController(definition),
  revertsController(definition),
  tracesController(definition),
  erasuresController(definition, background, parts),
  importsController(definition.name, background, parts),
  publishingController(definition.name),
  reactorsController(definition.name, background, parts),
  deadLettersController(definition.name, background, parts),
  ownershipController(definition.name, parts),
  ...(parts.config.SANDBOX ? [clockController(definition.name)] : []),
];
