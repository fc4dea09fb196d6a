import type { AutomationActionType } from '@parley/contracts';
import type { OutgoingHttp } from '@parley/outgoing-http';
import type { ActionModule } from './action.ts';
import type { AskService } from './ask-service.ts';
import { requestPermission, sendTemplate } from './chat-actions.ts';
import { httpRequest } from './http-request.ts';
import { addLead, enableAi, mapData, setFolder, setLabel } from './record-actions.ts';

/** The module of each action by the type of its step. */
export type ActionModules = Readonly<Record<AutomationActionType, ActionModule>>;

/** `ActionModules`, to be injected. */
export const ACTIONS = Symbol('ActionModules');

/** The modules of all actions that a step can carry out. */
export const createActionModules = (parts: {
  readonly ask: AskService;
  readonly http: OutgoingHttp;
}): ActionModules => ({
  'chatapp.send_template': sendTemplate(parts.ask),
  'chatapp.request_call_permission': requestPermission(parts.ask),
  'lead.add': addLead(parts.ask),
  'assistant.set_label': setLabel(parts.ask),
  'assistant.set_folder': setFolder(parts.ask),
  'conversation.enable_ai': enableAi(parts.ask),
  'http.request': httpRequest(parts.http),
  'data.map': mapData,
});
