/** `chk/de/send`: where a step stands; stable over edits of other steps. */
export const stepPath = (parent: string, id: string): string => (parent === '' ? id : `${parent}/${id}`);
