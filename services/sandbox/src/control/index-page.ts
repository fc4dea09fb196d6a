/** Each control call with a body to try, in the order of a first visit. */
const calls: readonly { readonly path: string; readonly what: string; readonly body: object }[] = [
  {
    path: '/control/chat/senders',
    what: 'A business number exists on the chat platform (also how to change it)',
    body: {
      phone_number: '+14155552671',
      display_name: 'Acme',
      quality_rating: 'GREEN',
      messaging_limit: 250,
      calling_enabled: true,
      online: true,
    },
  },
  {
    path: '/control/chat/templates',
    what: 'A template exists',
    body: {
      sender_phone: '+14155552671',
      name: 'welcome',
      language: 'en',
      category: 'utility',
      status: 'approved',
      body_text: 'Hello {{1}}',
      variables: ['name'],
      kind: 'message',
    },
  },
  {
    path: '/control/chat/inbound',
    what: 'The customer writes',
    body: { to: '+14155552671', from: '+491701234567', text: 'Hello!', name: 'Ada' },
  },
  {
    path: '/control/chat/inbound',
    what: 'The customer taps the button of a template, or quotes a message (without the payload)',
    body: {
      to: '+14155552671',
      from: '+491701234567',
      text: 'Yes',
      reply_to_sid: 'wamid.…',
      button_payload: 'confirm',
    },
  },
  {
    path: '/control/chat/inbound',
    what: 'The customer comes by an ad',
    body: {
      to: '+14155552671',
      from: '+491701234567',
      text: 'Is it still on?',
      referral: {
        source_type: 'ad',
        source_id: '120226305854810726',
        source_url: 'https://fb.me/3cr4Wqqkv',
        headline: 'Summer sale',
        body: '20 % off all bikes',
      },
    },
  },
  {
    path: '/control/chat/permission-reply',
    what: 'The customer answers a call request: accept, reject, revoke',
    body: { to: '+14155552671', from: '+491701234567', response: 'accept', permanent: false },
  },
  {
    path: '/control/chat/message-status',
    what: 'A message is sent, delivered, read or failed',
    body: { message_sid: 'wamid.…', status: 'delivered' },
  },
  {
    path: '/control/sms/status',
    what: 'An SMS is sent, delivered, undelivered or failed',
    body: { message_sid: 'SM…', status: 'delivered' },
  },
  {
    path: '/control/calls',
    what: 'A call happens on the voice platform',
    body: {
      direction: 'inbound',
      to: '+14155552671',
      from: '+491701234567',
      outcome: 'completed',
      duration_s: 42,
      transcript: 'Hello.',
      extracted_variables: { city: 'Berlin' },
    },
  },
  {
    path: '/control/faults',
    what: 'The next calls of chat, carrier, payments, voice or llm fail: reject, error, timeout, reset, garbage',
    body: { provider: 'chat', operation: 'send_message', mode: 'timeout', times: 1, takes_effect: false },
  },
  { path: '/control/clock/advance', what: 'Time passes on the whole platform', body: { seconds: 3600 } },
  {
    path: '/control/accounts/balance',
    what: 'An account has this balance',
    body: { email: 'demo@example.com', total_balance: '12.50' },
  },
  { path: '/control/reset', what: 'The stand-in forgets everything but the time', body: {} },
];

const reads = [
  ['/control/requests?provider=chat', 'What that provider was asked, in order'],
  ['/control/callbacks?provider=chat', 'The webhooks it sent or is about to send'],
  ['/control/faults', 'The faults still to come'],
  ['/control/clock', 'The time on the platform'],
] as const;

/** The page a person sees first. */
export const indexPage = (baseUrl: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Parley sandbox</title>
<style>body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}
pre{background:#f4f4f4;padding:.7rem;white-space:pre-wrap;overflow-wrap:anywhere}h3{margin-bottom:.2rem}</style>
<h1>Parley sandbox</h1>
<p>Stands in for the chat platform (WhatsApp Cloud API), the carrier (Twilio), payments (Stripe), the voice platform
(LiveKit) and the language model (OpenAI-compatible). Play the outside world:</p>
${calls.map((call) => section(baseUrl, call)).join('\n')}
<h2>Look</h2>
<ul>${reads.map(([path, what]) => `<li><a href="${html(path)}">${html(path)}</a> ${html(what)}</li>`).join('')}</ul>
</html>
`;

const section = (baseUrl: string, { path, what, body }: (typeof calls)[number]): string =>
  `<h3>${html(what)}</h3>
<pre>curl -s ${html(baseUrl)}${path} -H 'Content-Type: application/json' -d '${html(JSON.stringify(body))}'</pre>`;

const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
