import { type AutomationDefinition, listTemplates } from '@parley/contracts';
import { type BusClient, isUnanswered, type MessageContext } from '@parley/message-bus';
import { askAsCaller } from '../ask-as-caller.ts';
import type { DefinitionFault } from '../expression/fault.ts';
import { actionSteps } from './action-steps.ts';

/**
 * Faults of steps that send a template with more variables than they give. A template that does not exist (yet) is left
 * to the run: it may be made later.
 */
export async function templateFaults(
  { connections = {}, steps }: AutomationDefinition,
  variablesOf: (senderId: number, templateId: number) => Promise<readonly string[]>,
): Promise<readonly DefinitionFault[]> {
  const sends = actionSteps(steps).filter(({ step }) => step.type === 'chatapp.send_template');
  const faults = sends.map(async ({ path, step }): Promise<readonly DefinitionFault[]> => {
    const senderId = connections[step.connection ?? '']?.id;
    const { template_id: templateId, variables } = step.input ?? {};
    if (typeof senderId !== 'number' || typeof templateId !== 'number' || typeof variables === 'string')
      return [];
    const given = new Set(Object.keys(variables ?? {}));
    const missing = (await variablesOf(senderId, templateId)).filter(
      (name, index) => !given.has(name) && !given.has(String(index + 1)),
    );
    if (missing.length === 0) return [];
    const message = `The template has variables without a value: ${missing.join(', ')}.`;
    return [{ path: `${path}.input.variables`, message }];
  });
  return (await Promise.all(faults)).flat();
}

/**
 * The variables of a template of the asking account; none when there is no such template, or messaging does not answer.
 */
export const createTemplateVariables =
  (bus: BusClient, message: MessageContext) =>
  async (senderId: number, templateId: number): Promise<readonly string[]> => {
    try {
      const answer = await askAsCaller(bus, message, listTemplates, { senderId, status: 'all' });
      if (answer.kind === 'rejected') return [];
      return answer.body.data.find(({ id }) => id === templateId)?.variables ?? [];
    } catch (error) {
      if (isUnanswered(error)) return [];
      throw error;
    }
  };
