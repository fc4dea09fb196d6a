const host = /^[\w.-]{1,253}(:\d{1,5})?$|^\[[0-9a-fA-F:.]{2,45}\](:\d{1,5})?$/;

let lastHost = '';
let lastBaseUrl = '';

/** `https://api.example.com`: what the caller used, for absolute URLs in answers; `null` when the host is no host. */
export function baseUrlOf(protocol: string, authority: string): string | null {
  // Callers send the same host again and again: the last one is remembered.
  if (authority === lastHost && lastBaseUrl.startsWith(`${protocol}:`)) return lastBaseUrl;
  if (!host.test(authority)) return null;
  lastHost = authority;
  lastBaseUrl = `${protocol}://${authority}`;
  return lastBaseUrl;
}
