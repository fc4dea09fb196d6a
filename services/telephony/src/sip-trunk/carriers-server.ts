import { invalidField, type Rejection } from '@parley/contracts';

/** The host without its port. Twilio has each trunk under a name for each of its edges (`<trunk>.pstn.dublin.twilio.com`). */
const serverOf = (address: string): string =>
  address
    .toLowerCase()
    .replace(/:\d+$/, '')
    .replace(/\.pstn\.[^.]+\.twilio\.com$/, '.pstn.twilio.com');

/**
 * Refuses the SIP server of the installation's own line to its carrier. Where that knows the voice platform by its IP
 * address, it would take an account's calls there from the number of any other one, and beside the turns of new calls.
 */
export const refuseCarriersServer = (address: string, carriersAddress: string): Rejection | null =>
  serverOf(address) === serverOf(carriersAddress)
    ? invalidField('sip_address', 'The sip address must be that of a SIP server of your own.')
    : null;
