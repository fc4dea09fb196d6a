// Before anything of Nest: its decorators need it.
import 'reflect-metadata';

export { AccountBalance, type Hold, isDone, newHold, traceOf } from './account-balance.ts';
export { refusingSandboxDefaults, type ServiceConfig, serviceConfig } from './config.ts';
export type { EndDealings } from './erasing/erase-person.ts';
export { mentionPatterns } from './erasing/mentions.ts';
export { price } from './price.ts';
export { accountOf, atExpectedVersion, type Cause, causeOf } from './requests/cause.ts';
export { CommandHandler, QueryHandler } from './requests/handlers.ts';
export {
  jsonReply,
  notFoundReply,
  RejectionError,
  rejectedReply,
  textReply,
  toReply,
} from './requests/replies.ts';
export { explainedEventOf } from './resources/explained-event.ts';
export { asService, lookUp, onBehalfOf } from './resources/look-up.ts';
export {
  createOwnItemList,
  createOwnItemReader,
  itemReply,
  itemsReply,
  type OwnItem,
  type RenderedItem,
} from './resources/own-items.ts';
export { createOwnPages, itemsBefore, type OwnPage, pageBody, type WantedPage } from './resources/page.ts';
export { Past, type PastMoment } from './resources/past.ts';
export { defineResource, numberedStream, type Resource } from './resources/resource.ts';
export { createResourceCommands, type RunResourceCommand } from './resources/resource-commands.ts';
export { type RevertOf, revertBy } from './resources/revert.ts';
export { isStandIn } from './sealing/personal-values.ts';
export { SubjectKeyPrefetch } from './sealing/subject-key-prefetch.ts';
export { sendOnce } from './send-once.ts';
export type { Background, BackgroundParts, ServiceDefinition, StandingTimers } from './service-definition.ts';
export { runService } from './start/run-service.ts';
export { startService } from './start/start-service.ts';
export { BUS_CLIENT, CLOCK, CLOSING, CONFIG, EVENT_STORE, LOGGER, READ_POOL } from './tokens.ts';
