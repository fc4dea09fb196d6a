export type {
  CallPermissionRequest,
  ChatNumber,
  ChatNumberRef,
  ChatPlatform,
  ChatTemplate,
  OutgoingMessage,
  Placeholder,
  SentMessage,
  TemplateMessage,
  TextMessage,
} from './chat-platform.ts';
export type { ProviderFailure, ProviderResult } from './provider-result.ts';
