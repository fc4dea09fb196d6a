// Before anything of Nest: its decorators need it.
import 'reflect-metadata';

export { AccountBalance, type Hold, isDone, newHold, traceOf } from './account-balance.ts';
export { accountOf, atExpectedVersion, type Cause, causeOf } from './cause.ts';
export { refusingSandboxDefaults, type ServiceConfig, serviceConfig } from './config.ts';
export type { EndDealings } from './erasing/erase-person.ts';
export { mentionPatterns } from './erasing/mentions.ts';
export { explainedEventOf } from './explained-event.ts';
export { CommandHandler, QueryHandler } from './handlers.ts';
export { asService, lookUp, onBehalfOf } from './look-up.ts';
export {
  createOwnItemList,
  createOwnItemReader,
  itemReply,
  itemsReply,
  type OwnItem,
  type RenderedItem,
} from './own-items.ts';
export { itemsBefore, pageBody, type WantedPage } from './page.ts';
export { Past, type PastMoment } from './past.ts';
export { price } from './price.ts';
export {
  jsonReply,
  notFoundReply,
  RejectionError,
  rejectedReply,
  textReply,
  toReply,
} from './replies.ts';
export { defineResource, numberedStream, type Resource, type ResourceDefinition } from './resource.ts';
export { createResourceCommands, type RunResourceCommand } from './resource-commands.ts';
export { type ChangeToRevert, type RevertOf, type RevertPlan, revertBy } from './revert.ts';
export { runService } from './run-service.ts';
export { isStandIn } from './sealing/personal-values.ts';
export { SubjectKeyPrefetch } from './sealing/subject-key-prefetch.ts';
export { sendOnce } from './send-once.ts';
export type { Background, BackgroundParts, ServiceDefinition, StandingTimers } from './service-definition.ts';
export { startService } from './start-service.ts';
export { BUS_CLIENT, CLOCK, CLOSING, CONFIG, EVENT_STORE, LOGGER, READ_POOL } from './tokens.ts';
