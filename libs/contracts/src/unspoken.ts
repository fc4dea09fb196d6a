/**
 * Kinds of messages that say nothing by themselves, and that nobody expects an answer to: a reaction to a message, and
 * the deletion of one.
 */
export const unspokenKinds = ['reaction', 'revoke'] as const;

export const isUnspoken = (kind: string): boolean => unspokenKinds.some((unspoken) => unspoken === kind);

/** Whether a contact who sends this has written, which opens the messaging windows: a deletion takes words back. */
export const hasWritten = (kind: string): boolean => kind !== 'revoke';
