import type { KnownSender } from '../../views/sender-queries.ts';
import type { KnownTemplate } from '../../views/template-queries.ts';

export const sender: KnownSender = {
  id: 2,
  accountId: 1,
  phoneNumber: '+4930123456',
  displayName: 'Bakery',
  assistantId: null,
  phoneNumberId: '100',
  platformAccountId: '200',
  status: 'online',
  qualityRating: 'GREEN',
  messagingLimit: 1_000,
  voiceCallingEnabled: false,
};

export const template: KnownTemplate = {
  id: 8,
  senderId: 2,
  platformId: '300',
  name: 'order_ready',
  language: 'en',
  status: 'approved',
  category: 'utility',
  kind: 'message',
  bodyText: 'Hello {{1}}',
  format: 'positional',
  placeholders: [{ key: '1', name: 'first name' }],
};
