const host = /^[\w.-]{1,253}(:\d{1,5})?$|^\[[0-9a-fA-F:.]{2,45}\](:\d{1,5})?$/;

let lastHost = '';
let lastBaseUrl = '';

/**
 * The base URL that the caller used, such as `https://api.example.com`, for absolute URLs in answers; `null` when
 * `authority` is not a valid host.
 */
export function baseUrlOf(protocol: string, authority: string): string | null {
  // Callers send the same host again and again: the last one is remembered.
  if (authority === lastHost && lastBaseUrl.startsWith(`${protocol}:`)) return lastBaseUrl;
  if (!host.test(authority)) return null;
  lastHost = authority;
  lastBaseUrl = `${protocol}://${authority}`;
  return lastBaseUrl;
}
