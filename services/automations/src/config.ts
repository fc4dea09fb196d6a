import { isKnownKeyring, keyring } from '@parley/process-kit';
import { serviceConfig } from '@parley/service-kit';
import type { z } from 'zod';

/** Every key of the service's environment. */
export const automationsConfig = serviceConfig
  .extend({
    /** Seals the secrets of connections and the tokens of webhook addresses. */
    SECRETS_KEYS: keyring(),
  })
  .superRefine(({ SANDBOX, SECRETS_KEYS }, context) => {
    if (SANDBOX || !isKnownKeyring(SECRETS_KEYS)) return;
    context.addIssue({
      code: 'custom',
      path: ['SECRETS_KEYS'],
      message: 'Must be set where there is no sandbox.',
    });
  });

export type AutomationsConfig = z.output<typeof automationsConfig>;
