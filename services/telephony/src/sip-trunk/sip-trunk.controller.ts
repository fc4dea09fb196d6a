import { Controller, Inject, type OnModuleInit } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  createSipTrunk,
  deleteSipTrunk,
  getSipTrunk,
  listSipTrunks,
  type OperationInput,
  updateSipTrunk,
} from '@parley/contracts';
import {
  Aggregates,
  type Clock,
  createIdAllocator,
  type EventStore,
  type IdAllocator,
  type SqlExecutor,
} from '@parley/event-store';
import type { BusClient, BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import type { Logger } from '@parley/process-kit';
import type { VoicePlatform } from '@parley/providers';
import {
  accountOf,
  BUS_CLIENT,
  CLOCK,
  CLOSING,
  CONFIG,
  CommandHandler,
  causeOf,
  EVENT_STORE,
  itemReply,
  itemsReply,
  LOGGER,
  Past,
  QueryHandler,
  READ_POOL,
  rejectedReply,
  toReply,
} from '@parley/service-kit';
import type { TelephonyConfig } from '../config.ts';
import { type Assistants, createAssistants } from '../number/assistants.ts';
import { createSipTrunkList, createSipTrunkReader } from '../views/sip-trunk-queries.ts';
import { VOICE_PLATFORM } from '../voice/voice-platform.ts';
import { refuseCarriersServer } from './carriers-server.ts';
import { createPasswordStore, preparePasswords } from './password-store.ts';
import { PlatformTrunks } from './platform-trunks.ts';
import { sipTrunk, sipTrunkStream, toItem } from './sip-trunk.ts';
import { SipTrunks } from './sip-trunks.ts';

@Controller()
export class SipTrunkController implements OnModuleInit {
  readonly #sql: SqlExecutor;
  readonly #past: Past;
  readonly #ids: IdAllocator;
  readonly #trunks: SipTrunks;
  readonly #carriersAddress: string;
  readonly #assistants: Assistants;
  readonly #read: ReturnType<typeof createSipTrunkReader>;
  readonly #list: ReturnType<typeof createSipTrunkList>;

  constructor(
    aggregates: Aggregates,
    past: Past,
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(READ_POOL) sql: SqlExecutor,
    @Inject(CLOCK) clock: Clock,
    @Inject(CLOSING) closing: AbortSignal,
    @Inject(CONFIG) config: TelephonyConfig,
    @Inject(VOICE_PLATFORM) platform: VoicePlatform,
    @Inject(BUS_CLIENT) bus: BusClient,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#sql = sql;
    this.#past = past;
    this.#ids = createIdAllocator(sql, 'phone_number_ids');
    this.#assistants = createAssistants(bus);
    this.#carriersAddress = config.CARRIER_SIP_ADDRESS;
    this.#trunks = new SipTrunks({
      aggregates,
      store,
      clock,
      closing,
      passwords: createPasswordStore(sql, config.SECRETS_KEYS, logger),
      platform: new PlatformTrunks(platform, config.SIP_OUTBOUND_PROXY),
    });
    this.#read = createSipTrunkReader(sql);
    this.#list = createSipTrunkList(sql);
  }

  async onModuleInit(): Promise<void> {
    await preparePasswords(this.#sql);
  }

  @CommandHandler(createSipTrunk)
  async create(
    @Payload() input: OperationInput<typeof createSipTrunk>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const refused = refuseCarriersServer(input.sip_address, this.#carriersAddress);
    if (refused) return rejectedReply(refused);
    const id = await this.#ids.next();
    const request = { id, accountId: accountOf(message), input, cause: causeOf(message) };
    return toReply(await this.#trunks.create(request));
  }

  @CommandHandler(updateSipTrunk)
  async update(
    @Payload() { id, ...input }: OperationInput<typeof updateSipTrunk>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const refused = refuseCarriersServer(input.sip_address ?? '', this.#carriersAddress);
    if (refused) return rejectedReply(refused);
    const { expectedVersion } = message;
    const request = { id, accountId: accountOf(message), input, cause: causeOf(message), expectedVersion };
    return toReply(await this.#trunks.update(request));
  }

  @CommandHandler(deleteSipTrunk)
  async remove(
    @Payload() { id }: OperationInput<typeof deleteSipTrunk>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const { expectedVersion } = message;
    const request = { id, accountId: accountOf(message), cause: causeOf(message), expectedVersion };
    const removed = await this.#trunks.remove(request);
    if (removed.kind === 'done') await this.#assistants.forgetNumber(message, id);
    return toReply(removed);
  }

  @QueryHandler(getSipTrunk)
  async get(
    @Payload() { id, as_of: asOf }: OperationInput<typeof getSipTrunk>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    if (asOf !== undefined) {
      const past = { accountId, streamId: sipTrunkStream(id), fold: sipTrunk };
      return this.#past.read(asOf, past, (state) => state && toItem(state));
    }
    return itemReply(await this.#read({ accountId, id }));
  }

  @QueryHandler(listSipTrunks)
  async list(@Ctx() { message }: BusContext): Promise<BusReply> {
    return itemsReply(await this.#list(accountOf(message)));
  }
}
