/**
 * Kinds of messages that say nothing by themselves, and that nobody expects an answer to: a reaction to a message, the
 * deletion of one, and that one is pinned, or kept where others disappear.
 */
export const unspokenKinds = ['reaction', 'revoke', 'pin', 'keep_in_chat'] as const;

export const isUnspoken = (kind: string): boolean => unspokenKinds.some((unspoken) => unspoken === kind);

/** Whether a contact who sends this has written, which opens the messaging windows; a reaction counts, unlike a deletion. */
export const hasWritten = (kind: string): boolean => kind === 'reaction' || !isUnspoken(kind);
