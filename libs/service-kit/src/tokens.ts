/**
 * What a service's classes can have injected beside `Aggregates` (injected by its class):
 * `@Inject(CLOCK) clock: Clock`. Types of interfaces are imported with `import type` there.
 */

/** `EventStore` of libs/event-store. */
export const EVENT_STORE = Symbol('EventStore');
/** `SqlExecutor` on the service's database, for what requests need of it: what takes longer than they can wait fails. */
export const READ_POOL = Symbol('ReadPool');
/** `pg.Pool` on the service's database, for what may take its time. */
export const WORK_POOL = Symbol('WorkPool');
/** `Clock`: the platform clock, the only one that decides. */
export const CLOCK = Symbol('Clock');
/** pino's `Logger`. */
export const LOGGER = Symbol('Logger');
/** The service's parsed configuration. */
export const CONFIG = Symbol('Config');
/** `AbortSignal`: the process begins to end, and what fails is not tried again. */
export const CLOSING = Symbol('Closing');
/** `BusClient`, for asking other services. */
export const BUS_CLIENT = Symbol('BusClient');
/** `NatsConnection`, for what the bus client does not do. */
export const NATS_CONNECTION = Symbol('NatsConnection');
