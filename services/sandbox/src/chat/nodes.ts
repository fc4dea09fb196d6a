import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { type Sender, sipPassword } from './sender.ts';
import { componentsBesideBody, isPositional, placeholders, type Template } from './template.ts';

export type Node = Readonly<Record<string, unknown>> & { readonly id: string };

export const phoneNumberDefaults = [
  'verified_name',
  'display_phone_number',
  'quality_rating',
  'code_verification_status',
  'platform_type',
  'throughput',
];

export const phoneNumberNode = (sender: Sender): Node => ({
  id: sender.phone_number_id,
  display_phone_number:
    parsePhoneNumberFromString(sender.phone_number)?.formatInternational() ?? sender.phone_number,
  verified_name: sender.display_name,
  name_status: 'APPROVED',
  code_verification_status: 'VERIFIED',
  quality_rating: sender.quality_rating,
  whatsapp_business_manager_messaging_limit: messagingLimitTier(sender.messaging_limit),
  status: sender.online ? 'CONNECTED' : 'DISCONNECTED',
  platform_type: 'CLOUD_API',
  throughput: { level: 'STANDARD' },
  account_mode: 'SANDBOX',
});

/** With `credentials` as `include_sip_credentials` asks for them. */
export const settingsNode = (sender: Sender, { credentials }: { readonly credentials: boolean }) => {
  const status = sender.calling_enabled ? 'ENABLED' : 'DISABLED';
  const password = credentials ? { sip_user_password: sipPassword(sender.phone_number) } : {};
  return {
    calling: { status, sip: { status, servers: [{ app_id: 1, hostname: 'sip.example.com', ...password }] } },
  };
};

/** `TIER_250`, `TIER_2K`, `TIER_UNLIMITED`; other integers follow the same form (`TIER_37`). */
function messagingLimitTier(limit: number | null): string {
  if (limit === null) return 'TIER_UNLIMITED';
  return limit > 0 && limit % 1000 === 0 ? `TIER_${limit / 1000}K` : `TIER_${limit}`;
}

export const accountDefaults = ['name', 'currency', 'timezone_id', 'message_template_namespace'];

export const accountNode = (sender: Sender): Node => ({
  id: sender.waba_id,
  name: sender.display_name,
  currency: 'USD',
  timezone_id: '1',
  message_template_namespace: `sandbox_${sender.waba_id}`,
  phone_numbers: { data: [phoneNumberNode(sender)] },
});

export const templateDefaults = ['name', 'parameter_format', 'components', 'language', 'status', 'category'];

/**
 * A template as Graph lists it. The names that people gave to the placeholders travel as the examples that Graph
 * requires of each template with variables.
 */
export function templateNode(template: Template): Node {
  const names = placeholders(template.body_text);
  const positional = isPositional(names);
  const examples = names.map((name, index) => template.variables[index] ?? name);
  return {
    id: template.id,
    name: template.name,
    language: template.language,
    status: template.status.toUpperCase(),
    category: template.category.toUpperCase(),
    parameter_format: positional ? 'POSITIONAL' : 'NAMED',
    quality_score: { score: 'UNKNOWN' },
    ...(template.status === 'rejected' ? { rejected_reason: 'INVALID_FORMAT' } : {}),
    components: [
      {
        type: 'BODY',
        text: template.body_text,
        ...(names.length === 0 ? {} : { example: bodyExample(names, examples, positional) }),
      },
      ...componentsBesideBody(template),
      ...(template.kind === 'voice_call_request' ? [{ type: 'call_permission_request' }] : []),
    ],
  };
}

const bodyExample = (names: readonly string[], examples: readonly string[], positional: boolean) =>
  positional
    ? { body_text: [examples] }
    : {
        body_text_named_params: names.map((param_name, index) => ({
          param_name,
          example: examples[index] ?? param_name,
        })),
      };
