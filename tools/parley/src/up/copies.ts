import type { RefinementCtx } from 'zod';
import { services } from './service-table.ts';

/** `gateway=2,assistants=3`: how many processes of each service; one where none is given. */
export function parseCopies(text: string, context: RefinementCtx): ReadonlyMap<string, number> {
  const copies = new Map<string, number>();
  for (const part of text.split(',').map((word) => word.trim())) {
    if (part === '') continue;
    const [, name = '', count = ''] = /^([a-z]+)=(\d{1,2})$/.exec(part) ?? [];
    const service = services.find((candidate) => candidate.name === name);
    if (!service || Number(count) < 1) {
      context.addIssue(
        `"${part}" must look like gateway=2; services are ${services.map(({ name }) => name).join(', ')}.`,
      );
    } else if (service.isSingle && Number(count) > 1) {
      context.addIssue(`There can be only one ${name}.`);
    } else if (copies.has(name)) {
      context.addIssue(`${name} is given twice.`);
    } else copies.set(name, Number(count));
  }
  return copies;
}
