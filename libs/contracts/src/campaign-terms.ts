/** How a campaign reaches people. */
export const campaignChannels = ['call', 'chatapp', 'sms'] as const;

/**
 * `created` until a campaign decides to reach out; `queued` while an attempt waits for its turn or its retry;
 * `in_progress` while it goes on; then what came of the last one.
 */
export const leadStatuses = ['created', 'queued', 'in_progress', 'completed', 'no_answer', 'failed'] as const;

/** Nobody reads more, and the answer of an import must not grow with its file. */
export const maxReportedErrors = 1000;
