/** How the scopes of claims begin whose keys are numbers of customers. */
const scopes = ['lead-number:', 'conversation-of-sender:'];

/**
 * Whether a claim's key belongs to a person, so that the log keeps it under the account's key for that person. Every
 * other number, such as one that accounts compete to buy, is claimed as it is, over all accounts.
 */
export const isPersonalClaim = (scope: string): boolean => scopes.some((start) => scope.startsWith(start));
