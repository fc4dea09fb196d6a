/** The kind of the timer of each lead that failed because nobody knew whether its message was sent. */
export const lateAnswerKind = 'late-answer';

/** Id of that timer. It is cancelled when the lead gets another number: nothing was sent there. */
export const lateAnswerTimerId = (streamId: string): string => `${lateAnswerKind}:${streamId}`;
