import { Controller } from '@nestjs/common';
import { getPhoneNumber } from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import { notFoundReply, QueryHandler } from '@parley/service-kit';

@Controller()
export class NumberController {
  /** Nobody has a number before numbers can be bought. */
  @QueryHandler(getPhoneNumber)
  get(): BusReply {
    return notFoundReply();
  }
}
