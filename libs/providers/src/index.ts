export { byNumberKind, closestTo, type NumberKind, type NumberType } from './by-number-kind.ts';
export type { Carrier, CarrierNumber, OfferedNumber } from './carrier.ts';
export type {
  ChatNumber,
  ChatNumberRef,
  ChatPlatform,
  ChatTemplate,
  OutgoingMessage,
} from './chat-platform.ts';
export { fitsGap, isFillable, isRead, unfillable } from './chat-platform.ts';
export type {
  Declined,
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
