/** The path of a step, such as `chk/de/send`; it stays the same when other steps are edited. */
export const stepPath = (parent: string, id: string): string => (parent === '' ? id : `${parent}/${id}`);
