/** The kind of the timer of each lead that is failed because nobody knew whether its message was sent. */
export const lateAnswerKind = 'late-answer';

/** A lead that gets another number loses it: nothing was sent there. */
export const lateAnswerTimerId = (streamId: string): string => `${lateAnswerKind}:${streamId}`;
