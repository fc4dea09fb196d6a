/** What went wrong in the background, as whoever follows it is told. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
