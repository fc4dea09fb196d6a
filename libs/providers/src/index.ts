export type { Carrier, CarrierNumber, NumberSearch, NumberType, OfferedNumber } from './carrier.ts';
export type {
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
export { fitsGap, isFillable, isRead, unfillable } from './chat-platform.ts';
export type {
  Declined,
  MonthlyOrder,
  MonthlySubscription,
  OwedInvoice,
  PaidInvoice,
  PaymentCard,
  PaymentNews,
  Payments,
} from './payments.ts';
export type { ProviderFailure, ProviderResult } from './provider-result.ts';
export type {
  CallBrief,
  OutgoingCall,
  PlatformTrunk,
  TrunkDirection,
  VoicePlatform,
} from './voice-platform.ts';
