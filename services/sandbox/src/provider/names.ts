/** The outside world, and what each part of it can be asked (decisions, section 8 "Faults", and what else we ask). */
export const providerOperations = {
  chat: [
    'send_message',
    'list_templates',
    'get_sender',
    'subscribe_app',
    'send_permission_request',
    'mark_read',
    'get_call_permission',
  ],
  carrier: ['search', 'provision', 'release', 'get_number', 'list_numbers', 'update_number', 'send_sms'],
  payments: [
    'create_customer',
    'get_customer',
    'update_customer',
    'delete_customer',
    'attach_method',
    'detach_method',
    'get_method',
    'create_price',
    'create_subscription',
    'get_subscription',
    'list_subscriptions',
    'update_subscription',
    'cancel_subscription',
    'get_invoice',
    'pay_invoice',
    'create_refund',
  ],
  voice: [
    'create_trunk',
    'update_trunk',
    'delete_trunk',
    'list_trunks',
    'create_dispatch_rule',
    'delete_dispatch_rule',
    'list_dispatch_rules',
    'create_call',
    'end_call',
    'get_room',
    'dispatch_agent',
  ],
  llm: ['complete'],
} as const;

export type ProviderName = keyof typeof providerOperations;
export type OperationOf<P extends ProviderName> = (typeof providerOperations)[P][number];

export const isProviderName = (name: string): name is ProviderName => Object.hasOwn(providerOperations, name);
